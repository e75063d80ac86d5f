import { logWarning } from './log.ts'

/** Figures about the deployment: names, networks and object names, and no personal data. */

/** `name` says what `values` are (docs/operations.md lists all); `subject` is what they are about, such as `8453:0`. */
export type Metric = { name: string; subject: string; values: number[] }

export interface Metrics {
  /** Returns at once and never throws: a payment must not wait for its metrics, or fail with them. */
  record(metric: Metric): void
}

export const noMetrics: Metrics = { record: () => {} }

/** To Analytics Engine, which buffers and sends by itself; without its binding nothing is written. */
export const metricsFrom = (dataset: Pick<AnalyticsEngineDataset, 'writeDataPoint'> | undefined): Metrics =>
  dataset
    ? {
        record({ name, subject, values }) {
          try {
            dataset.writeDataPoint({ indexes: [name], blobs: [name, subject], doubles: values })
          } catch (error) {
            logWarning('metric_not_written', { metric: name }, error)
          }
        },
      }
    : noMetrics
