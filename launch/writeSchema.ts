/** `node launch/writeSchema.ts` writes launch/config.schema.json, with which editors check and explain a config file. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { configSchema } from './config.ts'

export const schemaPath = join(import.meta.dirname, 'config.schema.json')

export const jsonSchema = (): string => `${JSON.stringify(z.toJSONSchema(configSchema, { io: 'input' }), null, 2)}\n`

if (import.meta.main) writeFileSync(schemaPath, jsonSchema())
