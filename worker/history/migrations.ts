import { type Migrations, newSchema } from '../durable/migrations.ts'
import type { Schema } from '../durable/objectSchema.ts'
import { sqlOf } from '../durable/table.ts'
import { historyTables } from './tables.ts'

/** Schema of a History. The first entry is changed in place until the first deployment; from then on, append. */
export const historyMigrations: Migrations = [newSchema(sqlOf(historyTables))]

export const historySchema: Schema = { migrations: historyMigrations, lowest: historyMigrations.length }
