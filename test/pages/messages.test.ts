import { expect, test } from 'bun:test'
import { FAILURES } from '../../src/contract/failures.ts'
import { failureMessage, learnMessages } from '../../src/pages/trade/messages/failure-messages.ts'
import { FAILURE_MESSAGES } from '../../src/pages/trade/messages/failures.ts'

test('every failure of the catalogue has a sentence and a next step', () => {
  learnMessages(FAILURE_MESSAGES)
  for (const code of [...Object.keys(FAILURES), 'offline', 'clock']) {
    const { text, next } = failureMessage({ code, message: '' })
    expect(text).toMatch(/^[A-Z].*\.$/)
    expect(next).toMatch(/^[A-Z].*\.$/)
  }
})

test('a failure of tomorrow shows the server’s own sentence, and one that names a parameter names it', () => {
  expect(failureMessage({ code: 'of_tomorrow', message: 'Its own.' })).toEqual({
    text: 'Its own.',
    next: '',
  })
  expect(failureMessage({ code: 'toString', message: '' }).text).toBe('toString')
  expect(
    failureMessage({ code: 'invalid_request', message: '', parameter: 'limit' }).text,
  ).toEndWith('(limit)')
})
