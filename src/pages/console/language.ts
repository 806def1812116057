// The plotting library creates a number format for the browser's language when it loads. A browser with the POSIX
// locale reports `en-US@posix`, which throws there, so the console would stay empty.
try {
  Intl.getCanonicalLocales(navigator.language)
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en-US' })
}

export {}
