/**
 * A table of a Durable Object, written once: its SQL, the type of its rows and what a new row needs follow from its columns.
 *
 *     export const failure = table('failure', { user_id: text(), at: integer() }, { indexes: '…' })
 *     export type FailureRow = RowOf<typeof failure>
 *     insert(sql, failure, { user_id: userId, at: now })
 */
type Value = string | number | null
declare const type: unique symbol

/** `sql` follows the column's name. `IsOptional`: a new row may leave it out, because it may be null or has a default. */
export type Column<Type = Value, IsOptional = boolean> = {
  readonly sql: (name: string) => string
  readonly [type]?: [Type, IsOptional]
}
type Columns = Readonly<Record<string, Column>>
export type Table<Of extends Columns = Columns, Name extends string = string> = {
  readonly name: Name
  readonly columns: Of
  /** Creates the table with its indexes and triggers. */
  readonly sql: string
}

export type RowOf<T extends Table> = {
  -readonly [Name in keyof T['columns']]: T['columns'][Name] extends Column<infer Type, boolean> ? Type : never
}
/** The names in a list of columns: `'id, at'` → `'id' | 'at'`. */
export type ColumnsIn<List extends string> = List extends `${infer First}, ${infer Rest}`
  ? First | ColumnsIn<Rest>
  : List

type OptionalIn<Of extends Columns> = {
  [Name in keyof Of]: Of[Name] extends Column<Value, true> ? Name : never
}[keyof Of]
export type NewRow<T extends Table> = Omit<RowOf<T>, OptionalIn<T['columns']>> &
  Partial<Pick<RowOf<T>, OptionalIn<T['columns']>>>

const column = <Type, IsOptional>(sql: string): Column<Type, IsOptional> => ({ sql: () => sql })
type HasDefault<Rest> = Rest extends `${string}DEFAULT ${string}` ? true : false

/** Columns that are never null. `rest` is the SQL after NOT NULL; beside an explicit type it needs its own: `text<Hex, string>`. */
export const integer = <Type extends number = number, const Rest extends string = ''>(rest?: Rest) =>
  column<Type, HasDefault<Rest>>(`INTEGER NOT NULL ${rest ?? ''}`)
export const text = <Type extends string = string, const Rest extends string = ''>(rest?: Rest) =>
  column<Type, HasDefault<Rest>>(`TEXT NOT NULL ${rest ?? ''}`)
export const oneOf = <const Type extends string, const Rest extends string = ''>(
  values: readonly Type[],
  rest?: Rest,
): Column<Type, HasDefault<Rest>> => ({ sql: (name) => `TEXT NOT NULL ${rest ?? ''} CHECK (${isOneOf(name, values)})` })
export const real = (rest = '') => column<number, false>(`REAL NOT NULL ${rest}`)
/** An integer key that SQLite chooses if a new row leaves it out. */
export const rowid = (rest = '') => column<number, true>(`INTEGER NOT NULL PRIMARY KEY ${rest}`)

export const maybeInteger = <Type extends number = number>() => column<Type | null, true>('INTEGER')
export const maybeText = <Type extends string = string>(rest = '') => column<Type | null, true>(`TEXT ${rest}`)
export const maybeOneOf = <const Type extends string>(values: readonly Type[]): Column<Type | null, true> => ({
  // SQLite looks through the list for a NULL, at the cost of rows read.
  sql: (name) => `TEXT CHECK (${name} IS NULL OR ${isOneOf(name, values)})`,
})

const isOneOf = (name: string, values: readonly string[]) => `${name} IN (${values.map((one) => `'${one}'`)})`

type Parts = {
  /** Constraints of several columns. */
  constraints?: string
  isWithoutRowid?: boolean
  /** Statements that create its indexes and triggers. */
  indexes?: string
}

export function table<const Name extends string, const Of extends Columns>(
  name: Name,
  columns: Of,
  parts: Parts = {},
): Table<Of, Name> {
  const { constraints, isWithoutRowid, indexes = '' } = parts
  const lines = Object.entries(columns).map(([column, { sql }]) => `${column} ${sql(column)}`)
  if (constraints) lines.push(constraints)
  const sql = `CREATE TABLE ${name} (${lines.join(', ')})${isWithoutRowid ? ' WITHOUT ROWID' : ''};\n${indexes}\n`
  return { name, columns, sql }
}

type NullColumns<Row> = { [Name in keyof Row as null extends Row[Name] ? Name : never]: null }
/** The columns that may be null, as null. */
export function nullColumns<T extends Table>({ columns }: T) {
  const names = Object.keys(columns).filter((name) => !/^\w+ NOT NULL/.test(columns[name]!.sql(name)))
  return Object.fromEntries(names.map((name) => [name, null])) as NullColumns<RowOf<T>>
}

export const sqlOf = (tables: readonly Table[]): string => tables.map(({ sql }) => sql).join('')

/** The SQL after the table's name, and its values. Nulls are left out. One loop, because every payment inserts several rows. */
export function placesOf(row: object): [string, Value[]] {
  let [names, places] = ['', '']
  const values: Value[] = []
  for (const [name, value] of Object.entries(row) as [string, Value][]) {
    if (value === null) continue
    const comma = names && ','
    names += comma + name
    places += `${comma}?`
    values.push(value)
  }
  return [`(${names}) VALUES (${places})`, values]
}

/** `onConflict`: for example `ON CONFLICT DO NOTHING`. */
export function insert<T extends Table>(sql: SqlStorage, { name }: T, row: NewRow<T>, onConflict = ''): void {
  const [places, values] = placesOf(row)
  sql.exec(`INSERT INTO ${name} ${places} ${onConflict}`, ...values)
}

/** Inserts the row in place of the one with its key. */
export function replace<T extends Table>(sql: SqlStorage, { name }: T, row: NewRow<T>): void {
  const [places, values] = placesOf(row)
  sql.exec(`REPLACE INTO ${name} ${places}`, ...values)
}

/** Changes the rows whose columns equal those of `where`. */
export function update<T extends Table>(
  sql: SqlStorage,
  { name }: T,
  where: Partial<RowOf<T>>,
  changes: Partial<RowOf<T>>,
): void {
  const equal = (columns: object) => Object.keys(columns).map((column) => `${column} IS ?`)
  const assigned = Object.keys(changes).map((column) => `${column} = ?`)
  const values = [...Object.values(changes), ...Object.values(where)] as Value[]
  sql.exec(`UPDATE ${name} SET ${assigned} WHERE ${equal(where).join(' AND ')}`, ...values)
}
