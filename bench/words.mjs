/** Word lists of the generated catalog. A changed list changes the data: increase VERSION in corpus.mjs. */
const words = (text) => text.trim().split(/\s+/);
const lines = (text) =>
  text
    .trim()
    .replace(/\s+/g, ' ')
    .split(/ ?\| ?/);

export const TOPICS =
  lines(`air quality | allotment gardens | ambulance response times | apprenticeships | bathing water | bird counts |
bridge inspections | broadband coverage | building permits | burial grounds | bus departures | business demography | car sharing |
charging points | child benefit | city council votes | coastal erosion | company register | consumer prices | council tax | crop yields |
cycle counters | dam safety | dental care | drinking water | earthquakes | election results | electricity grid load | emergency shelters |
energy labels | farm structure | ferry traffic | fire incidents | fish landings | flood levels | food inspections | forest fires |
forest inventory | freight by rail | geothermal wells | glacier retreat | green roofs | groundwater | harbour calls | heat demand |
historic monuments | hospital beds | hotel nights | house prices | household waste | job vacancies | kindergarten places | land cover |
land parcels | landslides | library loans | licensed taxis | light pollution | livestock | marriages and births | meteorological readings |
mine shafts | museum visits | noise maps | nursing homes | office vacancy | organic farming | parking spaces | patent filings |
pedestrian zones | pension payments | pharmacies | playgrounds | pollen forecasts | population by age | postal districts | power plants |
precipitation | prison population | public art | public contracts | public toilets | rail delays | recycling yards | research grants |
reservoir storage | river discharge | road accidents | road works | rooftop solar | school enrolment | sea temperature | sewage outlets |
snow depth | social housing | soil samples | speed cameras | sports grounds | street lighting | street names | street trees |
student exchange | tax receipts | theatre seats | tide tables | tourism spending | traffic counts | tram stops | unemployment |
university staff | urban plans | vaccination | vehicle fleet | vineyards | voter turnout | walking routes | waste tenders |
water abstraction | weather stations | wetlands | wild boar | wind turbines | youth clubs`);

export const PLACES =
  lines(`Alava | Amiens | Ancona | Arhus | Baden | Bari | Béziers | Bodø | Braga | Brăila | Brest | Burgos | Cádiz |
Chełm | Cluj | Como | Dijon | Dublin | Eger | Elbląg | Esbjerg | Évreux | Fejér | Fife | Foggia | Gdynia | Genk | Gijón | Györ | Hasselt |
Hof | Huelva | Iași | Jena | Jönköping | Kajaani | Kalmar | Karlovac | Kielce | Kildare | Kotka | Kranj | Laois | Latgale | Lecce | Leiria |
Levanger | Lienz | Lleida | Lorient | Louth | Lugo | Mâcon | Mersch | Metz | Modena | Mons | Narva | Nitra | Novara | Odense | Olt | Opole |
Ourense | Pärnu | Passau | Patras | Pilsen | Porvoo | Prešov | Pula | Quimper | Radom | Ravenna | Reus | Rijeka | Roskilde | Sibiu | Siena |
Šiauliai | Soria | Stara Zagora | Steyr | Tavira | Telšiai | Teruel | Trnava | Turku | Udine | Ulm | Vaasa | Vejle | Verona | Viborg | Vigo |
Visby | Wels | Worms | Xanthi | Ypres | Zamora | Zlín | Zwolle`);

export const FORMS =
  lines(`by municipality | by month | by quarter | by year | by district | by sector | by age group | by station |
hourly readings | daily values | annual figures | register | inventory | locations | time series | summary tables | survey results |
open data | historical series | key figures`);

export const TAGS = [
  ...lines(
    'open data | air quality | public transport | land use | road safety | real time | climate change | local government',
  ),
  ...words(`accidents administration agriculture air animals archives area art bathing benefits bicycles biodiversity births boundaries
bridges budget buildings buses business cadastre carbon care cars census charging children climate coast companies construction consumers
contracts courts crime crops culture deaths debt demography disability documents drainage dwellings earthquakes ecology economy education
elderly elections electricity elevation emergency emissions employment energy environment erosion events exports families farming fauna
finance fire fisheries floods flora food forest freight fuel gardens gas geology grants groundwater habitats harbours health heating
heritage hiking history holidays hospitals hotels housing hydrology imports income indicators industry inflation infrastructure
innovation inspections islands jobs justice labour lakes land landscape law lending libraries licences lighting livestock maps marine
markets migration minerals mobility monitoring monuments mountains museums nature networks noise nutrition observation ocean organic
ozone parking parks participation passengers patents pensions permits pharmacies planning plants playgrounds police pollen pollution
population ports post poverty precipitation prices procurement protected pupils quality quarries radiation rail rainfall recreation
recycling regions research reservoirs residents revenue rights rivers roads rural safety salaries sanitation schools science sea
sensors sewage shops snow society soil solar species spending sport statistics storms streets students subsidies survey taxation
teachers temperature theatre timber tourism trade traffic trails trams trees tunnels turnout universities urban vaccination vehicles
volunteers voting walking waste water weather welfare wildlife wind wine woods youth zoning`),
];

export const PEOPLE =
  lines(`Aino Virtanen | Béla Kovács | Ciara Nolan | Dario Conti | Elżbieta Nowak | Filip Dvořák | Greta Lund |
Hugo Martín | Inês Carvalho | Jonas Weber | Katrin Õunapuu | Luca De Smet | Mireille Roux | Nikolaos Pappas | Oona O'Shea | Petra Zupan`);

export const OFFICES = lines(
  'Office for {} | Ministry of {} | City of {} | {} Regional Council | {} Statistics | Agency for {}',
);

export const SENTENCES =
  lines(`Figures of the last period are provisional and will be revised. | Small counts are rounded so that nobody
can be recognised. | Coordinates are given as longitude and latitude in degrees. | Column names and units are explained in the sheet
"notes". | Values below the limit of detection are left empty. | The method was changed in 2014; earlier years are not comparable. |
New rows are added every night. | Places are coded by the official list of municipalities. | The publisher checks completeness before
each release. | Please name the source when using these data. | Errors may be reported to the contact given here. | The series begins
in 1996 for the larger places. | Sums may differ from the totals because of rounding. | An interface for the latest values is
described on the publisher's pages. | Rows that were withdrawn stay in the file and are marked. | The data were collected by law and may
be reused freely. | Missing readings are caused by maintenance of the sensors. | Files of earlier years stay at their addresses.`);

export const LICENSES = words(
  'cc-by cc-by cc-by cc-zero cc-zero uk-ogl uk-ogl odc-odbl odc-pddl cc-by-sa other-open notspecified',
);

/** Short name, media type, file extension. */
export const FORMATS = [
  ['CSV', 'text/csv', '.csv'],
  ['CSV', 'text/csv', '.csv'],
  ['CSV', 'text/csv', '.csv'],
  ['JSON', 'application/json', '.json'],
  ['XLSX', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', '.xlsx'],
  ['GeoJSON', 'application/geo+json', '.geojson'],
  ['PDF', 'application/pdf', '.pdf'],
  ['SHP', 'application/zip', '.zip'],
  ['XML', 'application/xml', '.xml'],
  ['WMS', null, '/wms'],
];
