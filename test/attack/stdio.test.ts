// Slow: the whole corpus goes to an executable, line by line.
import { expect, test } from 'bun:test'
import { repliesIn, runStdio } from '../agents/binary.ts'
import { bytesOf, CORPUS, type Row } from './corpus.ts'

const NEWLINE = 10

/** A body as a line; null for one that is several, or none. */
function lineOf({ body, json }: Row): Buffer | null {
  const bytes = body === undefined ? Buffer.from(JSON.stringify(json) ?? '') : bytesOf(body)
  return bytes.length === 0 || bytes.includes(NEWLINE) ? null : bytes
}

test('every hostile body, sent to an agent server as a line, gets its one answer, and the server ends well', async () => {
  const rows = CORPUS.flatMap(([, group]) => group.rows).filter((row) => lineOf(row) !== null)
  // What HTTP accepts without an answer has none here either.
  const answered = rows.filter(({ expect: expected }) => expected.status !== 202)
  const finished = await runStdio(
    rows.map((row) => lineOf(row) ?? ''),
    {},
  )
  const replies = repliesIn(finished)
  expect(replies).toHaveLength(answered.length)
  expect(replies.filter(({ error }) => error?.code === -32_603)).toEqual([])
  expect({ exitCode: finished.exitCode, err: finished.err, left: finished.left }).toEqual({
    exitCode: 0,
    err: '',
    left: [],
  })
})
