import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { USUAL_KINDS } from '../target.ts'
import {
  accepted,
  openScriptedProgram,
  type Scene,
  type ScriptedProgram,
} from './scripted-program.ts'

describe.each([...USUAL_KINDS])('a referral look-up, %s', (kind) => {
  let program: ScriptedProgram
  let scene: Scene

  beforeAll(async () => {
    program = await openScriptedProgram(kind)
  })
  afterAll(() => program.stop())
  beforeEach(() => {
    scene = program.scene()
  })

  test('whether a code is held is asked once in five minutes', async () => {
    scene.venue({ verify: accepted({ exist: true }) })
    const path = `/api/prep/referral/verify?code=Or-${scene.accountId.slice(2, 12)}_`
    for (let count = 0; count < 2; count++) {
      const response = await program.target.fetch(path)
      expect(await response.json()).toEqual({ code: path.split('=')[1], valid: true })
      expect(response.headers.get('cache-control')).toStartWith('public, max-age=300')
    }
    expect(scene.sent()).toHaveLength(1)
  })

  test('a look-up answers the code even when it reads like a venue', async () => {
    scene.venue({})
    const response = await program.target.fetch('/api/prep/referral/verify?code=ORDERLY')
    expect(await response.json()).toEqual({ code: 'ORDERLY', valid: false })
  })

  test.each([
    '',
    '?code=',
    '?code=a%20b',
    '?code=a.b',
    `?code=${'x'.repeat(33)}`,
    '?code=a&code=b',
  ])('a look-up with %j is refused before anything is sent', async (query) => {
    scene.venue({})
    const response = await program.target.fetch(`/api/prep/referral/verify${query}`)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      code: 'invalid_request',
      meta: { parameter: 'code' },
    })
    expect(scene.sent()).toEqual([])
  })

  test.each([
    { route: 'code', body: { code: 'MYCODE' }, parameter: 'accountId' },
    { route: 'code', body: { accountId: '0x1', code: 'MYCODE' }, parameter: 'accountId' },
    { route: 'code', body: { accountId: `0x${'0'.repeat(64)}` }, parameter: 'code' },
    { route: 'rate', body: {}, parameter: 'accountId' },
  ])(
    '$route without a proper $parameter is refused before anything is sent',
    async ({ route, body, parameter }) => {
      scene.venue({})
      expect(await scene.post(route, body)).toMatchObject({
        status: 400,
        body: { code: 'invalid_request', meta: { parameter } },
      })
      expect(scene.sent()).toEqual([])
    },
  )
})
