/** A generated page: its title, a line that says who writes it, its parts. */
export function page(title: string, ...parts: readonly string[]): string {
  const origin = '<!-- Written from src/contract/ by `bun build/docs.ts`. -->'
  return [`# ${title}`, origin, ...parts.map((part) => part.trimEnd())].join('\n\n').concat('\n')
}

export function section(title: string, content: string): string {
  return `## ${title}\n\n${content}`
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n')
}

/** The names of a table's rows, in its order. */
export function namesIn<Name extends string>(rows: Readonly<Record<Name, unknown>>): Name[] {
  return Object.keys(rows).filter((name): name is Name => Object.hasOwn(rows, name))
}
