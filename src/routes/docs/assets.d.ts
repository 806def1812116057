declare module 'swagger-ui-dist/*.js' {
  const path: string
  // biome-ignore lint/style/noDefaultExport: an embedded file is a default import.
  export default path
}

declare module 'swagger-ui-dist/*.css' {
  const path: string
  // biome-ignore lint/style/noDefaultExport: an embedded file is a default import.
  export default path
}
