declare module '*/NOTICE' {
  const path: string
  // biome-ignore lint/style/noDefaultExport: an embedded file is a default import.
  export default path
}
declare module '*/release-signers' {
  const text: string
  // biome-ignore lint/style/noDefaultExport: an embedded file is a default import.
  export default text
}
declare module '*.bash' {
  const text: string
  export = text
}
declare module 'uplot/dist/uPlot.iife.min.js' {
  const text: string
  // biome-ignore lint/style/noDefaultExport: an embedded file is a default import.
  export default text
}
declare module '*/report-page.js' {
  const text: string
  // biome-ignore lint/style/noDefaultExport: an embedded file is a default import.
  export default text
}
declare module '*.css' {
  const text: string
  // biome-ignore lint/style/noDefaultExport: an embedded file is a default import.
  export default text
}
