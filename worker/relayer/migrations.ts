import { type Migrations, newSchema } from '../durable/migrations.ts'
import type { Schema } from '../durable/objectSchema.ts'
import { sqlOf } from '../durable/table.ts'
import { relayerTables } from './tables.ts'

/** Schema of a Relayer. The first entry is changed in place until the first deployment; from then on, append. */
export const relayerMigrations: Migrations = [newSchema(sqlOf(relayerTables))]

export const relayerSchema: Schema = { migrations: relayerMigrations, lowest: relayerMigrations.length }
