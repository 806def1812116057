export const EVENT_STREAM = 'text/event-stream'

/** What is read chunk by chunk. */
type Chunks = {
  readonly read: () => Promise<{ readonly done: boolean; readonly value?: Uint8Array }>
}

/** The JSON of each event of a stream (WHATWG HTML, 9.2.6), one `data:` line each, as the service sends them. */
export async function* eventsOf(chunks: Chunks): AsyncGenerator<unknown> {
  const decoder = new TextDecoder()
  let text = ''
  for (let { done, value } = await chunks.read(); !done; { done, value } = await chunks.read()) {
    text += decoder.decode(value, { stream: true })
    const events = text.split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) {
      const data = event.split('\n').find((line) => line.startsWith(DATA))
      if (data !== undefined) yield JSON.parse(data.slice(DATA.length))
    }
  }
}

const DATA = 'data: '
