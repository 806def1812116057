import { createHash, createHmac } from 'node:crypto'

/** A server of the S3 protocol, as far as backups need it: it checks every signature (AWS Signature Version 4). */
export type S3Server = {
  readonly endpoint: string
  /** Answers in place of the server where it answers at all. */
  readonly failWith: (next: Fault) => void
  readonly objects: Map<string, Uint8Array>
  /** How many requests were refused for their signature. */
  readonly refused: () => number
  readonly stop: () => void
}

type Fault = (request: Request) => Response | null

export const BUCKET = 'backups'
export const ACCESS_KEY = { id: 'AKIDEXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }
const PAGE_ROWS = 2

export function startS3(): S3Server {
  const objects = new Map<string, Uint8Array>()
  const uploads = new Map<string, Map<number, Uint8Array>>()
  let refused = 0
  let fault: Fault = () => null
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const body = await request.bytes()
      const failed = fault(request)
      if (failed) return failed
      if (!isSigned(request, body)) {
        refused += 1
        return failure(403, 'SignatureDoesNotMatch')
      }
      const { pathname, searchParams } = new URL(request.url)
      const [, bucket, ...rest] = pathname.split('/')
      if (bucket !== BUCKET) return failure(404, 'NoSuchBucket')
      const key = decodeURIComponent(rest.join('/'))
      return answer(request.method, key, searchParams, body)
    },
  })

  function answer(method: string, key: string, query: URLSearchParams, body: Uint8Array): Response {
    const upload = uploads.get(query.get('uploadId') ?? '')
    if (method === 'GET' && query.get('list-type') === '2') return list(query)
    if (method === 'POST' && query.has('uploads')) return begin()
    if (query.has('uploadId') && !upload) return failure(404, 'NoSuchUpload')
    if (method === 'PUT' && upload) {
      upload.set(Number(query.get('partNumber')), body)
      return new Response(null, { headers: { etag: tagOf(body) } })
    }
    if (method === 'POST' && upload) return complete(key, upload, body)
    if (method === 'PUT') {
      objects.set(key, body)
      return new Response(null, { headers: { etag: tagOf(body) } })
    }
    const found = objects.get(key)
    if (method === 'DELETE') {
      objects.delete(key)
      return new Response(null, { status: 204 })
    }
    return found ? new Response(Buffer.from(found)) : failure(404, 'NoSuchKey')
  }

  function begin(): Response {
    const id = `upload-${uploads.size + 1}`
    uploads.set(id, new Map())
    return xml(
      `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
    )
  }

  function complete(
    key: string,
    parts: ReadonlyMap<number, Uint8Array>,
    body: Uint8Array,
  ): Response {
    const text = new TextDecoder().decode(body)
    const wanted = [...text.matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]+)<\/ETag>/g)]
    const bytes = wanted.map(([, number, tag]) => {
      const part = parts.get(Number(number))
      return part && tagOf(part) === tag?.replaceAll('&quot;', '"') ? part : null
    })
    if (bytes.includes(null)) return failure(400, 'InvalidPart')
    objects.set(key, Buffer.concat(bytes.flatMap((part) => part ?? [])))
    return xml('<CompleteMultipartUploadResult><ETag>"x"</ETag></CompleteMultipartUploadResult>')
  }

  function list(query: URLSearchParams): Response {
    const prefix = query.get('prefix') ?? ''
    const after = query.get('continuation-token') ?? ''
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix)).sort()
    const left = keys.filter((key) => key > after)
    const page = left.slice(0, PAGE_ROWS)
    const isTruncated = left.length > page.length
    const rows = page.map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`)
    const next = isTruncated ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
    return xml(
      `<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${next}${rows.join('')}</ListBucketResult>`,
    )
  }

  return {
    endpoint: `http://127.0.0.1:${server.port}`,
    objects,
    failWith: (next) => {
      fault = next
    },
    refused: () => refused,
    stop: () => server.stop(true),
  }
}

function xml(text: string): Response {
  return new Response(`<?xml version="1.0" encoding="UTF-8"?>${text}`, {
    headers: { 'content-type': 'application/xml' },
  })
}

/** An error of S3. */
export function failure(status: number, code: string): Response {
  return new Response(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`, {
    status,
    headers: { 'content-type': 'application/xml' },
  })
}

function tagOf(bytes: Uint8Array): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`
}

/** Whether a request is signed as the specification of the signature says, with this server's key. */
function isSigned({ method, url, headers }: Request, body: Uint8Array): boolean {
  const [, id, day, region, names, signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      headers.get('authorization') ?? '',
    ) ?? []
  if (id !== ACCESS_KEY.id || !day || !region || !names) return false
  const payload = headers.get('x-amz-content-sha256') ?? ''
  if (payload !== 'UNSIGNED-PAYLOAD' && payload !== sha256(body)) return false
  const { pathname, search } = new URL(url)
  const query = search.slice(1).split('&').filter(Boolean).sort().join('&')
  const lines = names.split(';').map((name) => `${name}:${headers.get(name)?.trim() ?? ''}\n`)
  const canonical = [method, pathname, query, lines.join(''), names, payload].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', headers.get('x-amz-date'), scope, sha256(canonical)].join('\n')
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    (own, part) => hmac(own, part),
    `AWS4${ACCESS_KEY.secret}`,
  )
  return hmac(key, text).toString('hex') === signature
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
