import { type MigrationJobs, runJobStep } from './migrationJobs.ts'
import { type Migrations, migrate, SchemaNotUsable } from './migrations.ts'

export type Schema = {
  /** The highest supported version is their number. */
  migrations: Migrations
  /**
   * The lowest version that this code works with. Below the highest one only while a migration waits for a background job
   * and the code knows the shape before it too.
   */
  lowest: number
  jobs?: MigrationJobs
}

/** How often an object that waits for newer code looks whether it has come, and says that it waits. */
const waitMs = 60_000 // 1 minute
/** Key of a note outside the schema: operators were told that this object waits. */
const reportedKey = 'schema_reported'

/**
 * The schema of one Durable Object. An object whose database this code can't use refuses every call with SchemaNotUsable,
 * because `storage` does, and keeps its alarm. It resumes by itself.
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

  /** `report` tells operators what keeps the object from working; null: it works again. May throw; it is repeated. */
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

  /** Last in the object's constructor: reads were empty until now, so that it could be constructed. */
  constructed(): void {
    this.#isConstructed = true
  }

  /** First in the object's `alarm()`. False: that was all, and the alarm is set again. */
  async mayWork(): Promise<boolean> {
    if (this.#state === 'usable') return true
    if (this.#state === 'newer') {
      await this.#ctx.storage.setAlarm(Date.now() + waitMs)
      await this.#reportProblem()
      return false
    }
    await this.#ctx.storage.setAlarm(Date.now())
    if (this.runJob() || migrate(this.#ctx.storage, this.#schema.migrations) < this.#schema.lowest) return false
    // What the constructor could not read is read by a new instance.
    await this.#ctx.storage.sync()
    this.#ctx.abort('the schema is up to date')
    return false
  }

  /** Is a background job unfinished? The object then schedules `runJob`. */
  get hasJob(): boolean {
    const { migrations } = this.#schema
    if (this.#problem || !migrations.some((migration) => typeof migration !== 'string' && migration.job)) return false
    return this.storage.sql.exec('SELECT 1 FROM migration_job WHERE ended = 0').toArray().length > 0
  }

  /** One step of background work. Returns whether more is left. Migrations that wait for it run at the next start. */
  runJob(): boolean {
    return runJobStep(this.#ctx.storage, this.#schema.jobs ?? {})
  }

  /** Nothing but what objects use of their storage. */
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

  /** The note comes first, so that the end is reported even if nobody knows whether the beginning was. */
  async #reportProblem(): Promise<void> {
    this.#ctx.storage.kv.put(reportedKey, true)
    await this.#tell(this.#problem!.detail)
  }

  async #reportEnd(): Promise<void> {
    if (await this.#tell(null)) this.#ctx.storage.kv.delete(reportedKey)
  }

  /** A report that fails is repeated with the next alarm, or when the object is loaded again. */
  #tell(problem: string | null): Promise<boolean> {
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
