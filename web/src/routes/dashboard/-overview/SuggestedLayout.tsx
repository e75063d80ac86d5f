import { useQuery } from '@tanstack/react-query'
import { toast } from 'react-hot-toast/headless'
import type { Overview } from '#schemas/overview.ts'
import type { Preferences } from '#schemas/preferences.ts'
import { Button } from '#web/components/Button.tsx'
import { Card } from '#web/components/Card.tsx'
import { messageOf } from '#web/lib/apiError.ts'
import { savePreferences, shownPreferencesQuery } from '#web/queries/overview.ts'
import { suggestedLayout } from './layout.ts'

/** Completed payments from which on there is something to compare. */
const enough = 10

/**
 * Offers the suggested layout, once, to a user who has the default one. Below the widgets, where it moves none of them, and
 * where the default layout leaves a part of the window empty.
 */
export function SuggestedLayout({ overview }: { overview: Overview }) {
  const preferences = useQuery(shownPreferencesQuery).data
  if (!preferences || preferences.layoutSuggested || preferences.dashboardWidgets || overview.confirmed < enough)
    return null
  const answer = (change: Preferences) => {
    savePreferences({ ...change, layoutSuggested: true }).catch((error) =>
      toast.error(messageOf(error, 'Your dashboard could not be saved. Please try again.')),
    )
  }
  return (
    <Card
      aria-labelledby="suggested-layout"
      className="mt-4 flex flex-wrap items-center justify-between gap-x-6 gap-y-3 p-5"
    >
      <div>
        <h2 id="suggested-layout" className="font-semibold">
          See a month at a glance
        </h2>
        <p className="text-muted text-small">
          The suggested layout adds Total Spent and a chart of the last 30 days. You can change it at any time, and
          Reset layout brings this one back.
        </p>
      </div>
      <div className="flex flex-wrap gap-3 max-sm:w-full max-sm:*:grow">
        <Button look="quiet" onClick={() => answer({})}>
          Keep this layout
        </Button>
        <Button look="secondary" onClick={() => answer({ dashboardWidgets: suggestedLayout, transfersDays: 30 })}>
          Use suggested layout
        </Button>
      </div>
    </Card>
  )
}
