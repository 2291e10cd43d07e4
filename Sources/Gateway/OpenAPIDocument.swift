internal import COpenAPI

/// The OpenAPI document of the routes, `schemas/openapi.json`: what `GET /openapi.json` answers.
package enum OpenAPIDocument {
    /// The document as JSON in UTF-8, with all schemas inside. It lives as long as the program.
    package static var json: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: copenapi_document(), count: copenapi_length())
    }
}
