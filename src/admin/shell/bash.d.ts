declare module '*.bash' {
  const text: string
  export = text
}
