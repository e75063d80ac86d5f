import { logWarning } from './log.ts'

/** Metrics of the deployment. They contain metric names, networks and object names, but no personal data. */

/** `name` defines the meaning of `values` (docs/operations.md); `subject` is what they describe, such as `8453:0`. */
export type Metric = { name: string; subject: string; values: number[] }

export interface Metrics {
  /** Returns immediately and never throws: a payment must not wait for its metrics or fail because of them. */
  record(metric: Metric): void
}

export const noMetrics: Metrics = { record: () => {} }

/** Writes to Analytics Engine, which buffers the data. Without its binding, nothing is written. */
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
