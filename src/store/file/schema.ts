import { Database } from 'bun:sqlite'
import { migrateTo } from '../migrations.ts'

/** What SQLite keeps for itself: indexes of keys, and the statistics of ANALYZE. */
const OWN_OF_SQLITE = /^sqlite_(?:autoindex_|stat[14]$)/

/**
 * Names the first table, index, trigger or view of a database that is not exactly as a version of the store makes it;
 * null when all are, or when the version is not known.
 */
export function schemaDifference(database: Database, version: number): string | null {
  using made = new Database(':memory:')
  if (!migrateTo(made, version)) return null
  const expected = schemaOf(made)
  const actual = schemaOf(database)
  const foreign = [...actual].find(([name, sql]) => expected.get(name) !== sql)
  if (foreign) return `${foreign[0]} is not prepd's`
  const missing = [...expected.keys()].find((name) => !actual.has(name))
  return missing === undefined ? null : `${missing} is missing`
}

/** The statement that made each, by kind and name. */
function schemaOf(database: Database): ReadonlyMap<string, string | null> {
  const rows = database
    .query<{ type: string; name: string; sql: string | null }, []>(
      'SELECT type, name, sql FROM sqlite_schema',
    )
    .all()
  const own = rows.filter(({ name }) => !OWN_OF_SQLITE.test(name))
  return new Map(own.map(({ type, name, sql }) => [`${type} ${name}`, sql]))
}
