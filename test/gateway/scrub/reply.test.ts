import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type Reply, replyOfScrubbed, restoreReply } from '../../../src/gateway/scrub/reply.ts'

const SOURCE = join(import.meta.dir, '../../../src')
const LONG = JSON.stringify({ rows: Array.from({ length: 200 }, (_, at) => ({ at, side: 'BUY' })) })

describe('a reply', () => {
  test('is its text in UTF-8, and reads back', () => {
    const text = '\ufeff{"a":"Zürich — 日本 🦊"}'
    const reply = replyOfScrubbed(text)
    expect(reply.bytes).toEqual(new TextEncoder().encode(text))
    expect(reply.text()).toBe(text)
  })

  test('has a strong entity tag that follows its bytes and nothing else', () => {
    const { etag } = replyOfScrubbed(LONG)
    expect(etag).toMatch(/^"[0-9a-z]+"$/)
    expect(replyOfScrubbed(LONG).etag).toBe(etag)
    expect(restoreReply(new TextEncoder().encode(LONG)).etag).toBe(etag)
    expect(replyOfScrubbed(`${LONG} `).etag).not.toBe(etag)
  })

  test('is compressed once, to the same bytes', () => {
    const reply = replyOfScrubbed(LONG)
    const gzip = reply.gzip()
    expect(gzip?.byteLength).toBeLessThan(reply.bytes.byteLength)
    expect(gzip && new TextDecoder().decode(Bun.gunzipSync(gzip))).toBe(LONG)
    expect(reply.gzip()).toBe(gzip)
  })

  test('is not compressed when it is short or does not shrink', () => {
    expect(replyOfScrubbed(`"${'a'.repeat(1021)}"`).gzip()).toBeNull()
    expect(replyOfScrubbed(`"${'a'.repeat(1022)}"`).gzip()).not.toBeNull()
    expect(restoreReply(crypto.getRandomValues(new Uint8Array(4096))).gzip()).toBeNull()
  })

  test('restored from stored bytes does not change with them', () => {
    const stored = new TextEncoder().encode('{"a":1}')
    const reply = restoreReply(stored)
    stored.fill(32)
    expect(reply.text()).toBe('{"a":1}')
  })

  test('is nothing one can write down', () => {
    const { bytes, etag } = replyOfScrubbed('{}')
    // @ts-expect-error A look-alike is not a reply: its body may never have been scrubbed.
    const lookAlike: Reply = { bytes, etag, gzip: () => null, text: () => '{}' }
    expect(lookAlike).not.toBeInstanceOf(replyOfScrubbed('{}').constructor)
  })

  test('is made by the scrub, restored from stored responses and kept outcomes alone', async () => {
    const makers: Record<string, string[]> = { replyOfScrubbed: [], restoreReply: [] }
    for (const path of new Bun.Glob('**/*.ts').scanSync(SOURCE)) {
      if (path === 'gateway/scrub/reply.ts') continue
      const text = await Bun.file(join(SOURCE, path)).text()
      for (const [name, paths] of Object.entries(makers)) if (text.includes(name)) paths.push(path)
    }
    for (const paths of Object.values(makers)) paths.sort()
    expect(makers).toEqual({
      replyOfScrubbed: ['gateway/scrub/scrub.ts'],
      restoreReply: ['gateway/cache/responses.ts', 'gateway/relay/outcomes.ts'],
    })
  })
})
