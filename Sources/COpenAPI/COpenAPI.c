#include "COpenAPI.h"

// A C23 feature that clang has in every mode; the compiler takes the file as a dependency.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char document[] = {
#embed "../../schemas/openapi.json"
};

const unsigned char *copenapi_document(void) { return document; }
size_t copenapi_length(void) { return sizeof document; }
