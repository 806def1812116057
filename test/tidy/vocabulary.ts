import { posix } from 'node:path'
import type { Tree } from './rules.ts'

/** Retired words, with their endings, and the field's term that replaces each. */
// biome-ignore format: one term a row
const RETIRED: readonly { readonly words: string; readonly instead: string; readonly prose: boolean }[] = [
  { words: 'desk desks', instead: 'service or API of that thing', prose: true },
  { words: 'told tell tells telling hear hears heard', instead: 'event, publish, message, subscribe', prose: true },
  { words: 'say said', instead: 'event, message, publish', prose: false },
  { words: 'word words', instead: 'operator command; message or copy of a page', prose: false },
  { words: 'standing standings', instead: 'freshness; resting order; ranking', prose: true },
  { words: 'shelf', instead: 'persistent cache', prose: true },
  { words: 'seal seals sealed', instead: 'checksum', prose: false },
  { words: 'glance', instead: 'pre-scan', prose: true },
  { words: 'visit visits visited', instead: 'request context', prose: false },
  { words: 'elsewhere nowhere', instead: 'peers', prose: false },
  { words: 'news', instead: 'invalidation channel', prose: false },
  { words: 'survey surveys', instead: 'topology check', prose: true },
  { words: 'presence lineage', instead: 'instance registry, timeline', prose: false },
  { words: 'seat seats', instead: 'connection slot; trading account context', prose: true },
  { words: 'beat beats', instead: 'flush interval, tick', prose: false },
  { words: 'outlet outlets', instead: 'connection sink', prose: true },
  { words: 'recipe recipes', instead: 'projection', prose: true },
  { words: 'farewell dismiss dismissed', instead: 'close with a reconnect hint', prose: true },
  { words: 'attendance agenda', instead: 'scheduler, schedule', prose: true },
  { words: 'former', instead: 'legacy import', prose: false },
  { words: 'chance', instead: 'random numbers, RNG', prose: false },
  { words: 'keeper keepers', instead: 'projection of events, journal', prose: true },
  { words: 'happening happenings stirring', instead: 'event buffer', prose: true },
  { words: 'patience', instead: 'time budget, deadline', prose: true },
  { words: 'pace', instead: 'rate', prose: false },
  { words: 'operated genesis', instead: 'supervised venue, initial state', prose: false },
  { words: 'deed deeds story stories rig rigs', instead: 'scenario, fixture, harness', prose: true },
  { words: 'wish wishes lack lacks', instead: 'options, missing capability', prose: false },
  { words: 'worth takings', instead: 'notional value, revenue', prose: false },
  { words: 'exposure exposures', instead: 'market account', prose: false },
  { words: 'crowd', instead: 'simulated traders', prose: true },
]

/** Uses that a field gives a retired word itself, by the file in which it has that meaning. */
// biome-ignore format: one use a row
const EXCEPTED: readonly { readonly word: RegExp; readonly where: RegExp }[] = [
  // The table of retired words itself.
  { word: /./, where: /^test\/tidy\/vocabulary/ },
  // A machine word of bits.
  { word: /^words?$/, where: /^src\/simulator\/base\/price-set/ },
  // Words of a command line, and words of 32 bytes in a contract's calldata.
  { word: /^words?$/, where: /^src\/operator\/(?:shell\/|command\/|account\/clients|tour\/)/ },
  // Words of 32 bytes in a contract's calldata.
  { word: /^words?$/, where: /^src\/pages\/trade\/money\/vault-call/ },
  // Words of 32 bytes, of a command line and of an enumeration.
  { word: /^words?$/, where: /^(?!src\/(?:simulator|pages|operator|lab|http\/operator)\/)/ },
  // The interval is a documented member of the catalogue.
  { word: /^beats?$/, where: /^src\/(?:contract\/|gateway\/catalogue|pages\/)/ },
  // The first block of a chain.
  { word: /^genesis$/, where: /^test\/evm\// },
  // Events that move the value of a simulated market.
  { word: /^news$/, where: /^(?:src|test)\/simulator\/(?:flow\/|state\/flow)/ },
  // A documented field of the log.
  { word: /^said$/, where: /^(?:src\/cluster\/valkey\/engine|test\/cluster\/valkey\/password)/ },
  // The name of an operator command.
  { word: /^crowd$/, where: /^src\/(?:contract\/venue\/|simulator\/control\/commands)/ },
  // An operation of the published AsyncAPI document.
  { word: /^tell$/, where: /^src\/http\/docs\/asyncapi/ },
  // The value of an account's positions and orders, everywhere but in the simulated exchange.
  { word: /^exposures?$/, where: /^(?!(?:src|test)\/simulator\/)/ },
  // A reader dismisses a notification.
  { word: /^dismiss/, where: /^src\/pages\/trade\// },
]

/** Comments, regular expressions (which may hold quotes), texts; the rest of a source are names. */
export const COMMENT_OR_TEXT =
  /(?<comment>\/\*[\s\S]*?\*\/|\/\/[^\n]*)|(?<=(?:[=(,:[!&|?{};]|=>)\s*)\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g

/** Retired words of sources: each room with the words found in its file names, names and comments, and where. */
export function retiredWords(tree: Tree): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const [path, text] of tree) {
    for (const word of retiredIn(path, text)) {
      const room = roomOf(path)
      found.set(room, [...(found.get(room) ?? []), `${path}: ${word}`])
    }
  }
  return found
}

function retiredIn(path: string, text: string): string[] {
  const comments: string[] = []
  const names = text.replace(COMMENT_OR_TEXT, (match, comment: string | undefined) => {
    if (comment !== undefined) comments.push(match)
    return ' '
  })
  const used = new Set(wordsOf(`${posix.basename(path)} ${names}`))
  const written = new Set(wordsOf(comments.join(' ')))
  const isExcepted = (word: string) =>
    EXCEPTED.some((row) => row.word.test(word) && row.where.test(path))
  return RETIRED.flatMap(({ words, instead, prose }) =>
    words
      .split(' ')
      .filter((word) => (used.has(word) || (prose && written.has(word))) && !isExcepted(word))
      .map((word) => `"${word}" is retired: ${instead}`),
  )
}

/** The words of names and prose in lower case: `FaultDesk` has two. */
function wordsOf(text: string): string[] {
  return (text.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []).map((word) => word.toLowerCase())
}

/** The folder that a file counts for: that of its subject, one deeper in the largest ones. */
function roomOf(path: string): string {
  const depth = /^src\/(?:simulator|pages)\//.test(path) ? 3 : 2
  return posix.dirname(path).split('/').slice(0, depth).join('/')
}
