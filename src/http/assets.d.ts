declare module 'swagger-ui-dist/*.js' {
  const path: string
  // biome-ignore lint/style/noDefaultExport: an embedded file is a default import.
  export default path
}

declare module '*/samples/sign.mjs' {
  const text: string
  // biome-ignore lint/style/noDefaultExport: an embedded file is a default import.
  export default text
}

declare module '*/samples/freeze.mjs' {
  const text: string
  // biome-ignore lint/style/noDefaultExport: an embedded file is a default import.
  export default text
}

declare module '*/samples/standby.mjs' {
  const text: string
  // biome-ignore lint/style/noDefaultExport: an embedded file is a default import.
  export default text
}

declare module '*.py' {
  const text: string
  // biome-ignore lint/style/noDefaultExport: an embedded file is a default import.
  export default text
}

declare module '*.sh' {
  const text: string
  // biome-ignore lint/style/noDefaultExport: an embedded file is a default import.
  export default text
}

declare module 'swagger-ui-dist/*.css' {
  const path: string
  // biome-ignore lint/style/noDefaultExport: an embedded file is a default import.
  export default path
}
declare module '*.svg' {
  const text: string
  // biome-ignore lint/style/noDefaultExport: an embedded file is a default import.
  export default text
}

declare module '*.md' {
  const text: string
  // biome-ignore lint/style/noDefaultExport: an embedded file is a default import.
  export default text
}
