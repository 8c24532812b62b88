import * as aisdk from './aisdk.mjs'
import * as mastra from './mastra.mjs'
import { seesTheSame } from './same.mjs'
import * as sdk1 from './sdk1.mjs'
import * as sdk2auto from './sdk2-auto.mjs'
import * as sdk2 from './sdk2.mjs'

const servers = ['everything', 'everything-http', 'files']
seesTheSame([sdk1, sdk2], servers)
seesTheSame([sdk2auto, mastra, aisdk], servers, { eras: true })
