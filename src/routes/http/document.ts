import { type Encoding, packed } from '../../scrub/reply.ts'
import { encodingOf } from './encoding.ts'

/** Answers with the same bytes as long as this process runs, packed for whoever takes that. */
export type Document = (request: Request) => Response

/** A document of these bytes and headers; each encoding is made when it is first asked for. */
export function documentOf(
  bytes: Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>>,
): Document {
  const forms = new Map<Encoding, Uint8Array<ArrayBuffer> | null>()

  function packedAs(encoding: Encoding): Uint8Array<ArrayBuffer> | null {
    const known = forms.get(encoding)
    if (known !== undefined) return known
    const made = packed(bytes, encoding, 'many')
    forms.set(encoding, made)
    return made
  }

  return ({ headers: wishes }) => {
    const liked = encodingOf(wishes)
    const shorter = liked && packedAs(liked)
    const encoding = shorter && liked ? { 'content-encoding': liked } : {}
    return new Response(shorter ?? bytes, {
      headers: { ...headers, vary: 'accept-encoding', ...encoding },
    })
  }
}
