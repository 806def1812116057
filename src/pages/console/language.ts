// The plots make a number format of the browser's language while they load. A browser of the POSIX locale reports
// `en-US@posix`, which number formats reject: the console would stay empty.
try {
  Intl.getCanonicalLocales(navigator.language)
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en-US' })
}

export {}
