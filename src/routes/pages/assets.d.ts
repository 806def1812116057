declare module '*.svg' {
  const text: string
  // biome-ignore lint/style/noDefaultExport: an embedded file is a default import.
  export default text
}
