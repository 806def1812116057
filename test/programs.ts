import PROGRAMS from '../build/programs.json'

type Program = { readonly package: string }

/** The path of a program that a test runs beside prepd. Throws when it is missing, naming the command that installs it. */
export function needProgram(name: string): string {
  const path = Bun.which(name)
  if (path !== null) return path
  const rows: Readonly<Record<string, Program>> = PROGRAMS
  throw new Error(`${name} is missing: apt-get install ${rows[name]?.package ?? name}`)
}
