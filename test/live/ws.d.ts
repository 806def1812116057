/** The client of npm, by its path: the runtime would put its own in place of the bare name. */
declare module '*/ws/lib/websocket.js' {
  type Options = { readonly headers?: Readonly<Record<string, string>> }
  // biome-ignore lint/style/noDefaultExport: the package's own shape.
  export default class WebSocket {
    constructor(url: string, options?: Options)
    readonly readyState: number
    on(event: 'open' | 'drain', listener: () => void): this
    on(event: 'message', listener: (data: Buffer) => void): this
    on(event: 'error', listener: (error: Error) => void): this
    on(event: 'close', listener: (code: number, reason: Buffer) => void): this
    on(
      event: 'unexpected-response',
      listener: (request: unknown, response: { readonly statusCode: number }) => void,
    ): this
    send(text: string): void
    pause(): void
    resume(): void
    terminate(): void
    close(): void
  }
}
