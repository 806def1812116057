import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { isStreamName, STREAMS, topicTemplate } from '../../src/contract/stream/topics.ts'
import { documentSections, searchSections } from '../../src/http/docs/document-search.ts'
import { openTarget, type Target, USUAL_KINDS } from '../target.ts'

const ROOT = join(import.meta.dir, '../..')
const SAMPLES = join(ROOT, 'config/samples')

test('a search shows the text around the longest word of a search that the section contains', () => {
  const html = `<h2 id="keys">Keys</h2><p>See how. ${'More. '.repeat(50)}Rotate the key.</p>`
  const sections = documentSections('Guide', '/docs/guide', html)
  const [hit] = searchSections(sections, 'how rotate nowhere')
  expect(hit?.excerpt).toContain('Rotate the key.')
  expect(hit?.excerpt).not.toContain('See how.')
})

describe.each([...USUAL_KINDS])('the reference page, %s', (kind) => {
  let target: Target

  beforeAll(async () => {
    target = await openTarget(kind)
  })
  afterAll(async () => {
    await target.stop()
  })

  // Undecoded: the bytes as they came over the wire.
  const raw = (path: string, encoding: string) => {
    const init = { headers: { 'accept-encoding': encoding }, decompress: false }
    return target.fetch(path, init)
  }

  test.each(['/swagger', '/swagger/streams'])(
    '%s names nothing that is not on this server',
    async (path) => {
      const page = await target.fetch(path)
      const html = await page.text()
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(html).not.toMatch(/https?:|\/\/[a-z]/i)
      const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link = '']) => link)
      expect(links.length).toBeGreaterThanOrEqual(3)
      for (const link of links) {
        expect(link).toMatch(/^\/(?:swagger|docs)(?:\/|$)/)
        expect((await target.fetch(link)).status).toBe(200)
      }
      const start = await (await target.fetch('/swagger/start.js')).text()
      expect(start).toContain("'/swagger/json'")
      expect(start).not.toMatch(/https?:/)
    },
  )

  test('lists every topic of live data, and offers a subscription to those that need no key', async () => {
    const html = await (await target.fetch('/swagger/streams')).text()
    const options = [...html.matchAll(/<option>([a-z.]+)/g)].map(([, name]) => name)
    for (const name of Object.keys(STREAMS).filter(isStreamName)) {
      expect(html).toContain(`<td><code>${topicTemplate(name)}</code></td>`)
      expect([name, options.includes(name)]).toEqual([name, STREAMS[name].kind !== 'account'])
    }
  })

  test('lets nothing else be loaded, framed or run in line', async () => {
    const policy = (await target.fetch('/swagger')).headers.get('content-security-policy') ?? ''
    const rules = new Map(
      policy.split(';').map((rule) => {
        const [name = '', ...sources] = rule.trim().split(' ')
        return [name, sources.join(' ')] as const
      }),
    )
    expect(rules.get('default-src')).toBe("'none'")
    expect(rules.get('script-src')).toBe("'self'")
    expect(rules.get('connect-src')).toBe("'self'")
    expect(rules.get('frame-ancestors')).toBe("'none'")
    expect(policy).not.toMatch(/https?:|\*/)
  })

  test.each([
    {
      path: '/swagger/bundle.js',
      type: 'text/javascript; charset=utf-8',
      holds: 'SwaggerUIBundle',
    },
    { path: '/swagger/style.css', type: 'text/css; charset=utf-8', holds: '.swagger-ui' },
  ])('$path comes packed or plain, and is the same', async ({ path, type, holds }) => {
    const plain = await raw(path, 'identity')
    const zipped = await raw(path, 'gzip')
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(zipped.headers.get('content-encoding')).toBe('gzip')
    for (const { status, headers } of [plain, zipped]) {
      expect(status).toBe(200)
      expect(headers.get('content-type')).toBe(type)
      expect(headers.get('vary')).toContain('accept-encoding')
      expect(headers.get('cache-control')).toMatch(/^public, max-age=\d+$/)
    }
    const text = await plain.text()
    const packed = new Uint8Array(await zipped.arrayBuffer())
    expect(gunzipSync(packed).toString() === text).toBe(true)
    // The executable sends the bytes that the build compressed.
    const built = Bun.gzipSync(text, { level: 9 })
    if (kind === 'compiled binary') expect(Buffer.compare(packed, built)).toBe(0)
    expect(text).toContain(holds)
  })

  test('shows the samples of signing, folded, and serves each as the file it is', async () => {
    const { info } = Object(await (await target.fetch('/swagger/json')).json())
    const files = readdirSync(SAMPLES)
    expect(files).toHaveLength(7)
    for (const file of files) {
      const text = readFileSync(join(SAMPLES, file), 'utf8')
      const served = await target.fetch(`/swagger/samples/${file}`)
      expect(await served.text()).toBe(text)
      expect(served.headers.get('content-type')).toBe('text/plain; charset=utf-8')
      expect(info.description).toContain(`<a href="/swagger/samples/${file}">${file}</a></summary>`)
      expect(info.description).toContain(text.trimEnd())
    }
    const other = await target.fetch('/swagger/samples/sign.rb')
    expect(other.status).toBe(404)
    expect(await other.json()).toMatchObject({ code: 'not_found' })
  })

  test('serves each document of this version in Markdown and as a page, and llms.txt lists them', async () => {
    const names = readdirSync(join(ROOT, 'config/reference'))
      .filter((file) => file.endsWith('.md'))
      .map((file) => file.slice(0, -3))
    const list = await (await target.fetch('/llms.txt')).text()
    const listed = [...list.matchAll(/\(\/docs\/(.+)\.md\)/g)].map(([, name = '']) => name)
    expect(listed.toSorted()).toEqual([...names, 'CHANGELOG', 'README', 'SECURITY'].toSorted())
    for (const name of listed) {
      const markdown = await target.fetch(`/docs/${name}.md`)
      expect(markdown.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
      const folder = names.includes(name) ? 'config/reference' : ''
      const [title] = readFileSync(join(ROOT, folder, `${name}.md`), 'utf8').split('\n', 1)
      expect(await markdown.text()).toStartWith(`${title}\n`)
      const html = await (await target.fetch(`/docs/${name}`)).text()
      expect(html).toContain('<meta name="viewport"')
      expect(html).not.toMatch(/<(?:script|img|iframe)/)
      const links = [...html.matchAll(/href="(\/[^"#]+)/g)].map(([, link = '']) => link)
      expect(links.length).toBeGreaterThanOrEqual(3)
      const known = new Set(['/docs', '/swagger', '/swagger/favicon.svg'])
      const strange = links.filter((link) => !known.has(link) && !listed.includes(link.slice(6)))
      expect(strange).toEqual([])
    }
    for (const path of ['/docs/nope', '/docs/nope.md', '/docs/..%2fpackage.json'])
      expect((await target.fetch(path)).status).toBe(404)
  })

  test('ranks the sections of documents by how many of the words they contain, and links to them', async () => {
    const search = async (query: string) =>
      (await target.fetch(`/docs?q=${encodeURIComponent(query)}`)).text()
    const html = await search('GO back  moment')
    expect(html).toContain(
      '<a href="/docs/backups#go-back-to-a-moment">Backups: Go back to a moment</a>',
    )
    const page = await (await target.fetch('/docs/backups')).text()
    expect(page).toContain('<h3 id="go-back-to-a-moment">')
    expect(page).toContain('<form role="search" action="/docs">')
    expect(html).not.toContain('No section contains')
    const links = (text: string) =>
      [...text.matchAll(/<li><a href="([^"]+)"/g)].map(([, to = '']) => to)
    const [both] = links(await search('standby deposit'))
    const partial = await search('standby zebra deposit')
    expect(links(partial)[0]).toBe(both ?? '')
    expect(links(partial).length).toBeGreaterThan(1)
    expect(partial).toContain('No section contains all of these words. These sections')
    const nothing = await search('zebra quagga')
    expect(nothing).toContain('No section contains any of these words.')
    expect(links(nothing)).toEqual([])
    expect(await search('<b>"bold"')).toContain('value="&lt;b&gt;&quot;bold&quot;"')
    expect(await search(' ')).toContain('<h1 id="documents">Documents</h1>')
  })

  test.each(['q=a&q=b', `q=${'a'.repeat(101)}`, 'q=%ff'])(
    'a search for %s is refused, and names the parameter',
    async (query) => {
      const response = await target.fetch(`/docs?${query}`)
      expect(response.status).toBe(400)
      expect(Object(await response.json()).meta.parameter).toBe('q')
    },
  )

  test('gzip is not sent to those who refuse it', async () => {
    const response = await raw('/swagger/bundle.js', 'gzip;q=0, identity')
    expect(response.headers.get('content-encoding')).toBeNull()
  })

  test.each(['/swagger/', '/swagger/unused', '/swagger/../swagger/nope', '/swagger/json/'])(
    '%s is not found',
    async (path) => {
      expect(Object(await (await target.fetch(path)).json()).code).toBe('not_found')
    },
  )
})
