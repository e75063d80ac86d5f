import { type Migrations, newSchema } from '../durable/migrations.ts'
import type { Schema } from '../durable/objectSchema.ts'
import { sqlOf } from '../durable/table.ts'
import { webhookSenderTables } from './tables.ts'

/** Schema of a WebhookSender. The first entry is changed in place until the first deployment; from then on, append. */
export const webhookSenderMigrations: Migrations = [newSchema(sqlOf(webhookSenderTables))]

export const webhookSenderSchema: Schema = {
  migrations: webhookSenderMigrations,
  lowest: webhookSenderMigrations.length,
}
