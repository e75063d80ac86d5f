import { type Migrations, newSchema } from '../../../durable/migrations.ts'
import type { Schema } from '../../../durable/objectSchema.ts'
import { treasurySql } from './tables.ts'

/** Schema of a user's Treasury. The first entry is changed in place until the first deployment; from then on, append. */
export const treasuryMigrations: Migrations = [newSchema(treasurySql)]

export const treasurySchema: Schema = { migrations: treasuryMigrations, lowest: treasuryMigrations.length }
