import { type Migrations, newSchema } from '../durable/migrations.ts'
import type { Schema } from '../durable/objectSchema.ts'
import { sqlOf } from '../durable/table.ts'
import { watchTables } from './tables.ts'

/** Schema of a Watch. The first entry is changed in place until the first deployment; from then on, append. */
export const watchMigrations: Migrations = [newSchema(sqlOf(watchTables))]

export const watchSchema: Schema = { migrations: watchMigrations, lowest: watchMigrations.length }
