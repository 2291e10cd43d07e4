// libcurl for Swift, which cannot call variadic functions: setopt and getinfo, once per type of argument.
#ifndef CCURL_H
#define CCURL_H

#include <curl/curl.h>

typedef size_t (*ccurl_data_callback)(char *bytes, size_t size, size_t count, void *context);

CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value);
CURLcode ccurl_set_text(CURL *easy, CURLoption option, const char *value);
CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value);
CURLcode ccurl_set_callback(CURL *easy, CURLoption option, ccurl_data_callback value);
CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value);

CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value);
CURLcode ccurl_get_pointer(CURL *easy, CURLINFO info, void **value);

// The result of a message that says CURLMSG_DONE: a union, of which Swift reads no member by name.
CURLcode ccurl_result(const CURLMsg *message);

#endif
