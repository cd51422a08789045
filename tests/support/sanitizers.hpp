/// Which sanitizer the tests were compiled with: PENSTOCK_ADDRESS_SANITIZER or PENSTOCK_THREAD_SANITIZER is defined.
#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PENSTOCK_ADDRESS_SANITIZER
#elif __has_feature(thread_sanitizer)
#define PENSTOCK_THREAD_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define PENSTOCK_ADDRESS_SANITIZER
#elif defined(__SANITIZE_THREAD__)
#define PENSTOCK_THREAD_SANITIZER
#endif
