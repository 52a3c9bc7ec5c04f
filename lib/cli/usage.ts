/** What `npm run slipway -- --help` prints. */
export const USAGE = `Usage: npm run slipway -- <command> [options]

  help                            print the commands for users, such as deploy, list and logs: they need an address and a key, no AWS

  first-agent                     from an empty installation to an agent that answers: an organization, a tenant and a key are made, this
                                  machine becomes a listener, and a folder is deployed to it; runs the listener until it is ended
    --url URL                     the API: the stack's output ApiUrl
    --project FOLDER              what is deployed                  (default: examples/hello-server)
    --name NAME                   what the deployment is called     (default: hello)
    --compute fargate             run it in the account instead, where the installation has compute=fargate: no listener, nothing stays
                                  running here
    --agents-port PORT            where it is served on this machine (default: 4401)
    --listener-dir FOLDER         the listener's own files          (default: .listener)
    --organization, --tenant      as below

  preflight                       what a deploy needs of the account, and what the account has: nothing is made
    --compute fargate             for an installation that is to run agents itself (default: as it is deployed)
  settings                        print the settings that an installation remembers: the next deploy begins from them
    --environment NAME            which installation, for both      (default: prod)
    --region REGION               its region                        (default: AWS_REGION, or your profile's)

  console                         print a link that signs in to the console once, within five minutes
    --url URL                     the API of a deployed installation, with a key in SLIPWAY_API_KEY
                                  (default: that of npm start, with --data-dir below)

  backup                          write everything that npm start, or a listener, keeps on this machine into a folder, while it runs
    --to FOLDER                   a folder that is not there yet
    --data-dir FOLDER             of npm start (default: as below), or of a listener
  restore                         put a backup into an empty folder
    --from FOLDER                 the backup
    --data-dir FOLDER             where to

  copy-threads                    copy the threads of one agent server to another, as of a dev deployment to a durable one
    --from URL                    where they are; with a key in SLIPWAY_FROM_API_KEY (sent as X-Api-Key), or all that the header
                                  Authorization is to carry in SLIPWAY_FROM_AUTHORIZATION
    --to URL                      where they go, which has the same graphs; SLIPWAY_TO_API_KEY, SLIPWAY_TO_AUTHORIZATION

  admin bootstrap                 make an organization, its first tenant and an administrator's key
    --organization NAME           what the organization is called   (default: main)
    --tenant NAME                 what the tenant is called         (default: main)
    --second-tenant               on the data of npm start, which has a tenant: yes, one more, in the same trust domain

  admin create-key                make a key for a new user of a tenant that is there
    --tenant-id ID                the tenant
    --role ROLE                   viewer, developer, admin or organization_admin
    --name NAME                   what lists call it                (default: made by the command line)
    --organization-wide           for all tenants of the tenant's organization: each request names its own

  admin create-listener-key       make the key that a listener works with
    --tenant-id ID                the tenant that the listener belongs to
    --listener-id ID              the listener, as POST /v2/listeners has answered

  admin pause                     stop everything that writes to the table of a deployed installation, for a restore
  admin resume                    start again what was paused

Where (one of the two):
  --table NAME                    the table of a deployed installation: its stack's output TableName
    --region REGION               its region                        (default: AWS_REGION, or your profile's)
  --data-dir FOLDER               the data of npm start, while it runs (default: SLIPWAY_DATA_DIR, or .slipway if it is there)

  --json                          print JSON instead of text
  --help                          print this

A deployed installation is reached with your AWS credentials, found as the AWS CLI finds them (AWS_PROFILE, environment, sign-on).`;
