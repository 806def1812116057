// The plots make a number format of the browser's language while they load, and a browser of the POSIX locale names one
// (`en-US@posix`) that no number format knows: the console would stay empty.
try {
  Intl.getCanonicalLocales(navigator.language)
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en-US' })
}

export {}
