import node from '../../../config/samples/sign.mjs' with { type: 'text' }
import python from '../../../config/samples/sign.py' with { type: 'text' }
import shell from '../../../config/samples/sign.sh' with { type: 'text' }

/** A program that goes from nothing to an order: it is shown on the page, and served under its name. */
type Sample = { readonly title: string; readonly language: string; readonly text: string }

/** Where they are served. */
export const SAMPLES_PATH = '/swagger/samples/'

/** Each sample by its file. */
export const SAMPLES: ReadonlyMap<string, Sample> = new Map([
  ['sign.mjs', { title: 'Node.js alone', language: 'js', text: node }],
  ['sign.py', { title: 'Python and one package', language: 'python', text: python }],
  ['sign.sh', { title: 'bash, openssl and curl', language: 'bash', text: shell }],
])

/** The samples in Markdown, folded. */
export function samplesText(): string {
  return [
    'Programs that do all of it, order and cancel included, folded below; each runs as it stands, with the base URL as its argument:',
    ...[...SAMPLES].map(([file, { title, language, text }]) =>
      [
        `<details><summary>${title}: <a href="${SAMPLES_PATH}${file}">${file}</a></summary>`,
        '',
        `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``,
        '',
        '</details>',
      ].join('\n'),
    ),
  ].join('\n\n')
}
