// The OpenAPI document of the HTTP API, schemas/openapi.json, inside the program. It lives as long as the program.
#ifndef COPENAPI_H
#define COPENAPI_H

#include <stddef.h>

// JSON in UTF-8, without a zero byte at its end.
const unsigned char *copenapi_document(void);
size_t copenapi_length(void);

#endif
