import { type Migrations, newSchema } from '../durable/migrations.ts'
import type { Schema } from '../durable/objectSchema.ts'
import { sqlOf } from '../durable/table.ts'
import { claimDeskTables } from './tables.ts'

/** Schema of a ClaimDesk. The first entry is changed in place until the first deployment; from then on, append. */
export const claimDeskMigrations: Migrations = [newSchema(sqlOf(claimDeskTables))]

export const claimDeskSchema: Schema = { migrations: claimDeskMigrations, lowest: claimDeskMigrations.length }
