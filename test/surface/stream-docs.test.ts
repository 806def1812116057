// Slow: an independent parser reads the whole document.
import { expect, test } from 'bun:test'
import { Parser } from '@asyncapi/parser'
import { STREAMS } from '../../src/contract/stream/topics.ts'
import { openTarget, USUAL_KINDS } from '../target.ts'

test.each([...USUAL_KINDS])(
  '%s describes its live data in AsyncAPI 3, without a fault',
  async (kind) => {
    const target = await openTarget(kind)
    const response = await target.fetch('/swagger/streams.json')
    expect(response.headers.get('content-type')).toBe('application/json')
    const text = await response.text()
    const { document, diagnostics } = await new Parser().parse(text)
    expect(diagnostics.filter(({ severity }) => severity <= 1)).toEqual([])
    expect(document?.version()).toBe('3.0.0')
    const socket = document?.channels().get('socket')
    expect(socket?.address()).toBe('/api/prep/ws')
    const names = socket
      ?.messages()
      .all()
      .map((message) => message.name())
    expect(names).toEqual(expect.arrayContaining([...Object.keys(STREAMS), 'hello', 'auth', 'bye']))
    await target.stop()
  },
)
