import { z } from 'zod'
import { spans } from '#domain/statistics.ts'
import { widgetTypes } from '#domain/widgets.ts'

const cells = (max: number) => z.number().int().min(0).max(max)
export const LayoutItem = z
  .object({
    id: z.string().min(1).max(64),
    type: z.enum(widgetTypes, { error: 'Unknown widget' }),
    x: cells(11),
    y: cells(1_000),
    w: z.number().int().min(1).max(12),
    h: z.number().int().min(1).max(40),
  })
  .refine(({ x, w }) => x + w <= 12, { path: ['w'], message: 'The widget does not fit into 12 columns' })
export type LayoutItem = z.output<typeof LayoutItem>

/** The most that all preferences of a user may take as JSON, in bytes. */
export const maxPreferenceBytes = 16 * 1024 // 16 kB

/**
 * PUT /preferences replaces the fields that are present. The layout is a 12-column grid with one widget per type. Other
 * fields are kept as they are, for clients of the API.
 */
export const Preferences = z.looseObject({
  dashboardWidgets: z
    .array(LayoutItem)
    .max(widgetTypes.length, 'A widget can be on the dashboard once')
    .refine((items) => new Set(items.map((item) => item.type)).size === items.length, {
      message: 'A widget can be on the dashboard once',
    })
    .optional(),
  /** Whether the first-steps card was dismissed. */
  firstStepsDismissed: z.boolean().optional(),
  /** Whether the user has used or declined the suggested layout. */
  layoutSuggested: z.boolean().optional(),
  /** Days in the chart of transfers on the overview. */
  transfersDays: z.literal(spans).optional(),
})
export type Preferences = z.output<typeof Preferences>
