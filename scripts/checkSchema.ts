/**
 * `node scripts/checkSchema.ts`: fails if worker/db/schema.ts does not describe what the migrations build. Executes both in
 * SQLite, the schema as drizzle-kit would create it, and compares the resulting tables, columns, foreign keys and indexes.
 * Ignores the names of unique indexes, because SQLite itself names those of UNIQUE, and CHECK constraints, which only the
 * migrations have.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { generateSQLiteDrizzleJson, generateSQLiteMigration } from 'drizzle-kit/api'

type Schema = Record<string, unknown>
type Row = Record<string, string | number | null>

/** Returns lines such as `missing in schema.ts: contact.phone text`. Empty if the two agree. */
export async function schemaDifferences(schema: Schema, migrationsDir: string): Promise<string[]> {
  const migrated = readdirSync(migrationsDir)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => readFileSync(join(migrationsDir, name), 'utf8'))
  const [fromMigrations, fromSchema] = [linesOf(migrated), linesOf(await statementsOf(schema))]
  const missing = (lines: Set<string>, others: Set<string>, where: string) =>
    [...lines].filter((line) => !others.has(line)).map((line) => `missing in ${where}: ${line}`)
  return [
    ...missing(fromSchema, fromMigrations, 'migrations'),
    ...missing(fromMigrations, fromSchema, 'schema.ts'),
  ].sort()
}

const statementsOf = async (schema: Schema) =>
  generateSQLiteMigration(await generateSQLiteDrizzleJson({}), await generateSQLiteDrizzleJson(schema))

/** The expression of a generated column in its table's CREATE statement, without spaces. */
const expressionOf = (table: string, column: string) =>
  new RegExp(`\\b${column}\\W+\\w+ GENERATED ALWAYS AS (.*?) (STORED|VIRTUAL)`, 'is')
    .exec(table)?.[1]
    ?.replaceAll(/\s/g, '')

/** Runs the statements and returns a line for each element of the resulting schema. */
function linesOf(statements: string[]): Set<string> {
  const db = new DatabaseSync(':memory:')
  for (const statement of statements) db.exec(statement)
  const all = (sql: string, ...values: string[]) => db.prepare(sql).all(...values) as Row[]
  const lines = new Set<string>()
  for (const { name: table, sql } of all(
    "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  )) {
    for (const column of all('SELECT * FROM pragma_table_xinfo(?)', String(table))) {
      const { name, type, notnull, dflt_value, pk, hidden } = column
      // SQLite allows null in a primary key that is not an integer; drizzle always adds NOT NULL.
      const notNull = notnull || pk ? ' not null' : ''
      const primaryKey = pk ? ` primary key ${pk}` : ''
      const byDefault = dflt_value === null ? '' : ` default ${dflt_value}`
      const generated = Number(hidden) >= 2 ? ` generated as ${expressionOf(String(sql), String(name))}` : ''
      lines.add(`${table}.${name} ${String(type).toLowerCase()}${notNull}${primaryKey}${byDefault}${generated}`)
    }
    for (const key of all('SELECT * FROM pragma_foreign_key_list(?)', String(table)))
      lines.add(
        `${table}.${key.from} references ${key.table}.${key.to} on delete ${String(key.on_delete).toLowerCase()}`,
      )
    for (const index of all("SELECT * FROM pragma_index_list(?) WHERE origin <> 'pk'", String(table))) {
      const columns = all('SELECT * FROM pragma_index_xinfo(?) WHERE key', String(index.name))
        .map(({ name, desc, coll }) => `${name}${desc ? ' desc' : ''}${coll === 'BINARY' ? '' : ` ${coll}`}`)
        .join(', ')
      const [definition] = all('SELECT sql FROM sqlite_master WHERE name = ?', String(index.name))
      const condition = /\bWHERE\b(.*)$/is.exec(String(definition?.sql ?? ''))?.[1]
      const where = condition
        ? ` where ${condition
            .replace(/["`]|\b\w+"?\./g, '')
            .trim()
            .toLowerCase()}`
        : ''
      lines.add(`${table} ${index.unique ? 'unique' : `index ${index.name}`} (${columns})${where}`)
    }
  }
  return lines
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  const differences = await schemaDifferences(await import('../worker/db/schema.ts'), join(root, 'migrations'))
  for (const line of differences) console.error(line)
  if (differences.length > 0) process.exitCode = 1
}
