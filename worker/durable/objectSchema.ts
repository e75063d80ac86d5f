import { type MigrationJobs, type Migrations, migrate, runJobStep, SchemaNotUsable } from './migrations.ts'

export type Schema = {
  /** Their number is the highest supported version. */
  migrations: Migrations
  /**
   * The lowest version that this code works with. It is below the highest one only while a migration waits for a
   * background job and the code also supports the schema before that migration.
   */
  lowest: number
  jobs?: MigrationJobs
}

/** How often an object that waits for newer code checks for it, and reports that it is waiting. */
const waitMs = 60_000 // 1 minute
/** Key outside the schema: set once operators were notified that this object is waiting. */
const reportedKey = 'schema_reported'

/**
 * The schema of one Durable Object. An object whose database this code can't use refuses every call with SchemaNotUsable,
 * because `storage` does, and keeps its alarm. It resumes automatically.
 *
 * newer: the database needs newer code. upgrading: a background job has to end before this code can use it.
 */
export class ObjectSchema {
  /** What the object uses instead of ctx.storage. */
  readonly storage: DurableObjectStorage
  readonly #ctx: DurableObjectState
  readonly #schema: Schema
  readonly #report: (problem: string | null) => Promise<void>
  readonly #state: 'usable' | 'newer' | 'upgrading'
  readonly #problem: SchemaNotUsable | null
  #isConstructed = false

  /** `report` tells operators what keeps the object from working, null once it works again. If it throws, it is repeated. */
  constructor(ctx: DurableObjectState, schema: Schema, report: (problem: string | null) => Promise<void>) {
    this.#ctx = ctx
    this.#schema = schema
    this.#report = report
    const { state, problem } = openDatabase(ctx.storage, schema)
    this.#state = state
    this.#problem = problem
    this.storage = problem ? this.#refusing(problem) : ctx.storage
    if (problem) void ctx.storage.setAlarm(Date.now() + (state === 'newer' ? waitMs : 0))
    if (state === 'newer') ctx.waitUntil(this.#reportProblem())
    else if (ctx.storage.kv.get(reportedKey)) ctx.waitUntil(this.#reportEnd())
  }

  /** Call last in the object's constructor. Until then all reads are empty, so that the object can be constructed. */
  constructed(): void {
    this.#isConstructed = true
  }

  /** Call first in the object's `alarm()`. If false, there is nothing else to do, and the alarm is set again. */
  async mayWork(): Promise<boolean> {
    if (this.#state === 'usable') return true
    if (this.#state === 'newer') {
      await this.#ctx.storage.setAlarm(Date.now() + waitMs)
      await this.#reportProblem()
      return false
    }
    await this.#ctx.storage.setAlarm(Date.now())
    if (this.runJob() || migrate(this.#ctx.storage, this.#schema.migrations) < this.#schema.lowest) return false
    // A new instance reads what this constructor could not.
    await this.#ctx.storage.sync()
    this.#ctx.abort('the schema is up to date')
    return false
  }

  /** True if a background job is unfinished. The object then schedules `runJob`. */
  get hasJob(): boolean {
    const { migrations } = this.#schema
    if (this.#problem || !migrations.some(({ job }) => job)) return false
    return this.storage.sql.exec('SELECT 1 FROM migration_job WHERE ended = 0').toArray().length > 0
  }

  /** Runs one step of background work. Returns whether more is left. Migrations that wait for it run at the next start. */
  runJob(): boolean {
    return runJobStep(this.#ctx.storage, this.#schema.jobs ?? {})
  }

  /** Storage that refuses all access. It has only the members that objects use. */
  #refusing(problem: SchemaNotUsable): DurableObjectStorage {
    const refuse = () => {
      throw new SchemaNotUsable(problem.detail)
    }
    const empty = { toArray: () => [], one: refuse, rowsWritten: 0 }
    const storage = {
      sql: { exec: () => (this.#isConstructed ? refuse() : empty), databaseSize: 0 },
      transactionSync: <T>(work: () => T) => (this.#isConstructed ? refuse() : work()),
      getAlarm: async () => null,
      setAlarm: async () => {},
      deleteAlarm: async () => {},
    }
    return storage as unknown as DurableObjectStorage
  }

  /** Sets the key first, so that the end is reported even if it is unknown whether the beginning was. */
  async #reportProblem(): Promise<void> {
    this.#ctx.storage.kv.put(reportedKey, true)
    await this.#tryReport(this.#problem!.detail)
  }

  async #reportEnd(): Promise<void> {
    if (await this.#tryReport(null)) this.#ctx.storage.kv.delete(reportedKey)
  }

  /** A report that fails is repeated with the next alarm, or when the object is loaded again. */
  #tryReport(problem: string | null): Promise<boolean> {
    return this.#report(problem).then(
      () => true,
      () => false,
    )
  }
}

function openDatabase(storage: DurableObjectStorage, { migrations, lowest }: Schema) {
  try {
    const version = migrate(storage, migrations)
    if (version >= lowest) return { state: 'usable', problem: null } as const
    const detail = `the database has schema version ${version} until a background job has ended; this code needs version ${lowest}`
    return { state: 'upgrading', problem: new SchemaNotUsable(detail) } as const
  } catch (error) {
    if (error instanceof SchemaNotUsable) return { state: 'newer', problem: error } as const
    throw error
  }
}
