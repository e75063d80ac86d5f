/** Pages of claim links: the files are here, their data in the Worker. */
import { claimPage } from '../claimPage.ts'

export const onRequest: PagesFunction<{ API: Fetcher; ASSETS: Fetcher }> = ({ request, env }) =>
  claimPage(request, env.ASSETS, env.API)
