import { ReportedTreasury } from '../reports/reportedTreasury.ts'
import type * as Api from './api.ts'
import { listNotices, markRead, noticeCount } from './views.ts'

/** RPC calls behind the bell. */
export abstract class NoticedTreasury extends ReportedTreasury implements Api.NoticeCalls {
  async notices() {
    return listNotices(this.context)
  }
  async noticeCount() {
    return noticeCount(this.context)
  }
  async readNotices(upTo: number) {
    return markRead(this.context, upTo)
  }
}
