/**
 * Codes of the vocabularies that the method checks. Sources, read in November 2026: the authority tables `file-type`, `licence` and
 * `access-right` of the Publications Office of the EU, and the lists of non-proprietary and machine-readable formats of data.europa.eu
 * (edp-non-proprietary-format, edp-machine-readable-format). docs/quality.md says how to update them.
 */

/** Codes of the table `file-type`. */
export const FILE_TYPES =
  '7Z AAB AAC AKN4EU AKN4EU_ZIP APK APPX ARC ARCINFO_COV ARC_GZ ARJ ATOM AZW BIN BITS BMP BWF BZIP2 CSS CSV DAPK DBF DCR DEB ' +
  'DGN DMG DMP DOC DOCX DTD_SGML DTD_XML DWG DXF E00 EAR ECW EFORMS_XML EPS EPUB ETSI_XML EXE FMX2 FMX3 FMX4 FMX4_ZIP GDB ' +
  'GEOJSON GEOTIFF GIF GML GMZ GPKG GPX GRID GRID_ASCII GTFS GZIP HDF HDT HTML HTML5 HTML_SIMPL ICS IMMC_XML INDD IPA ISO ' +
  'ISO_ZIP JAR JATS JPEG JPEG2000 JS JSON JSON_LD KML KMZ LAS LAZ LEG LHA LPK LZIP LZMA LZO MAP_PRVW MAP_SRVC MBOX MDB METS ' +
  'METS_ZIP MHTML MIF_MID MOBI MOP MOV MP3 MPEG2 MPEG4 MPEG4_AVC MRSID MSG_HTTP MSI MXD N3 NETCDF OAPK OCTET ODB ODC ODF ODG ' +
  'ODP ODS ODT OP_DATPRO OVF OWL PDF PDF1X PDFA1A PDFA1B PDFA2A PDFA2B PDFA3 PDFUA PDFX PDFX1A PDFX2A PDFX4 PL PNG PPS PPSX ' +
  'PPT PPTX PS PSD PWP QGS RAR RDF RDFA RDF_N_QUADS RDF_N_TRIPLES RDF_THRIFT RDF_TRIG RDF_TRIX RDF_TURTLE RDF_XML REST RPM RSS ' +
  'RTF SB3 SCHEMA_XML SDMX SGML SHP SKOS_XML SPARQLQ SPARQLQRES SQL STL SVG SWM TAB TAB_RSTR TAR TAR_GZ TAR_XZ TIFF TIFF_FX TMX ' +
  'TSV TXT UNGEN WAR WARC WARC_GZ WAV WCS_SRVC WEBP WFS_SRVC WIM WMS_SRVC WMTS_SRVC WORLD XHTML XHTML5 XHTML_SIMPL XLIFF XLS ' +
  'XLSB XLSM XLSX XML XSLFO XSLT XYZ XZ YAML Z ZIP';

/** Codes of file types that data.europa.eu counts as non-proprietary. */
export const NON_PROPRIETARY =
  'BMP CSV DBF GEOJSON GZIP HTML ICS JPEG2000 JSON JSON_LD KML KMZ NETCDF ODS PNG RDF_N_QUADS RDF_N_TRIPLES RDF_TRIG RDF_TURTLE ' +
  'RDF_XML RSS RTF TAR TIFF TSV TXT WMS_SRVC XML ZIP';

/** Codes of file types that data.europa.eu counts as machine-readable. */
export const MACHINE_READABLE =
  'CSV GEOJSON ICS JSON JSON_LD KML KMZ NETCDF ODS RDFA RDF_N_QUADS RDF_N_TRIPLES RDF_TRIG RDF_TURTLE RDF_XML RSS SHP XLS XLSX XML';

/** Codes of the table `access-right`. */
export const ACCESS_RIGHTS = 'CONFIDENTIAL NON_PUBLIC NORMAL OP_DATPRO PUBLIC RESTRICTED SENSITIVE';

/** Codes of the table `licence`. */
export const LICENSES =
  '0BSD AGPL_3_0 APACHE_1_1 APACHE_2_0 APL_1_0 APSL_2_0 ARTISTIC_1_0 ARTISTIC_2_0 BSD_2_CLAUSE BSD_3_CLAUSE BSD_3_CLAUSE_LBNL ' +
  'BSD_PLUS_PATENT BSL_1_0 CATOSL_1_1 CC0 CC_BY CC_BYNC CC_BYNCND CC_BYNCND_1_0 CC_BYNCND_2_0 CC_BYNCND_2_5 CC_BYNCND_3_0 ' +
  'CC_BYNCND_4_0 CC_BYNCSA CC_BYNCSA_1_0 CC_BYNCSA_2_0 CC_BYNCSA_2_5 CC_BYNCSA_3_0 CC_BYNCSA_4_0 CC_BYNC_1_0 CC_BYNC_2_0 ' +
  'CC_BYNC_2_5 CC_BYNC_3_0 CC_BYNC_4_0 CC_BYND CC_BYND_1_0 CC_BYND_2_0 CC_BYND_2_5 CC_BYND_3_0 CC_BYND_4_0 CC_BYSA CC_BYSA_1_0 ' +
  'CC_BYSA_2_0 CC_BYSA_2_5 CC_BYSA_3_0 CC_BYSA_3_0_NL CC_BYSA_4_0 CC_BY_1_0 CC_BY_2_0 CC_BY_2_5 CC_BY_3_0 CC_BY_3_0_AT ' +
  'CC_BY_3_0_NL CC_BY_4_0 CC_PDM_1_0 CDDL_1_0 CECILL_2_1 CLARIN_ACA_1_0 CNRI_PYTHON COM_REUSE CPAL_1_0 CPL_1_0 DLDE_BYNC_1_0 ' +
  'DLDE_BY_1_0 DLDE_BY_2_0 DLDE_ZERO_2_0 ECL_1_0 ECL_2_0 ECOS_2_0 EFL_1_0 EFL_2 ENTESSA EPL_1_0 EPL_2_0 ETALAB_2_0 EUPL_1_0 ' +
  'EUPL_1_1 EUPL_1_2 EUROGEO_2022 EU_DATAGRID FAIR FRAMEWORX_1_0 GNU_FDL GNU_FDL_1_1 GNU_FDL_1_2 GNU_FDL_1_3 GPL_2_0 GPL_3_0 HPND ' +
  'HROD IODL_1_0 IODL_2_0 IPA IPL_1_0 ISA_OML ISA_OML_1_1 ISC LGPL_2_1 LGPL_3_0 LILIQ_P_1_1 LILIQ_RPLUS_1_1 LILIQ_R_1_1 LPL_1_0 ' +
  'LPL_1_02 LPPL_1_3C MIROS MIT MOTOSOTO MPL_1_0 MPL_1_1 MPL_2_0 MS_PL MS_RL MULTICS NASA_1_3 NAUMEN NCSA NGPL NLOD_1_0 NLOD_2_0 ' +
  'NOKIA NPOSL_3_0 NTP OCLC_2_0 ODC_BL ODC_BY ODC_PDDL OFL_1_1 OGL_1_0 OGL_2_0 OGL_3_0 OGL_NC OGL_ROU_1_0 OGTSL OPL_2_1 OP_DATPRO ' +
  'OSL_1_0 OSL_2_1 OSL_3_0 PHP_3_0 POSTGRE_SQL PSEUL PYTHON_2_0 QPL_1_0 RPL_1_1 RPL_1_5 RPSL_1_0 RSCPL SIMPL_2_0 SLEEPYCAT SPL_1_0 ' +
  'UCL_1_0 UPL_1_0 VSL_1_0 W3C WATCOM_1_0 WXWINDOWS XNET ZLIB ZPL_2_0';

/**
 * Addresses of license documents that the table `licence` names for its entries, without scheme, `www.` and a slash at the end. Those of
 * opensource.org follow one form, `opensource.org/licenses/` and an identifier, and are not repeated here.
 */
export const LICENSE_DOCUMENTS =
  'creativecommons.org/publicdomain/zero/1.0 creativecommons.org/publicdomain/mark/1.0 creativecommons.org/licenses/by-nd-nc/1.0 ' +
  ['by-nc-nd', 'by-nc-sa', 'by-nc', 'by-nd', 'by-sa', 'by']
    .flatMap((kind) =>
      ['1.0', '2.0', '2.5', '3.0', '4.0'].map((version) => `creativecommons.org/licenses/${kind}/${version}`),
    )
    .join(' ') +
  ' creativecommons.org/licenses/by-sa/3.0/nl/legalcode creativecommons.org/licenses/by/3.0/at/legalcode ' +
  'creativecommons.org/licenses/by/3.0/nl/legalcode data.europa.eu/eli/dec/2011/833/oj govdata.de/dl-de/by-nc-1-0 ' +
  'govdata.de/dl-de/by-1-0 govdata.de/dl-de/by-2-0 govdata.de/dl-de/zero-2-0 etalab.gouv.fr/licence-ouverte-open-licence ' +
  'joinup.ec.europa.eu/collection/eupl/eupl-text-11-12 mapsforeurope.org/licence gnu.org/licenses/licenses.html ' +
  'gnu.org/licenses/old-licenses/fdl-1.1 gnu.org/licenses/old-licenses/fdl-1.2 data.gov.hr/open-licence-republic-croatia ' +
  'formez.it/iodl dati.gov.it/content/italian-open-data-license-v20 joinup.ec.europa.eu/licence/isa-open-metadata-licence-v11 ' +
  'data.norge.no/nlod/en/1.0 data.norge.no/nlod/en/2.0 opendatacommons.org/licenses/odbl/1.0 opendatacommons.org/licenses/by/1.0 ' +
  'opendatacommons.org/licenses/pddl/1.0 nationalarchives.gov.uk/doc/open-government-licence/version/1 ' +
  'nationalarchives.gov.uk/doc/open-government-licence/version/2 nationalarchives.gov.uk/doc/open-government-licence/version/3 ' +
  'nationalarchives.gov.uk/doc/non-commercial-government-licence/non-commercial-government-licence.htm ' +
  'data.gov.ro/base/images/logoinst/OGL-ROU-1.0.pdf ordnancesurvey.co.uk/documents/licensing/inspire-end-user-licence.pdf';

/** Identifiers in addresses `opensource.org/licenses/…` that the table `licence` names. */
export const OPEN_SOURCE_DOCUMENTS =
  '0BSD AGPL-3.0 Apache-1.1 Apache-2.0 APL-1.0 APSL-2.0 Artistic-1.0 Artistic-2.0 BSD-2-Clause BSD-3-Clause BSD-3-Clause-LBNL ' +
  'BSDplusPatent BSL-1.0 CATOSL-1.1 CDDL-1.0 CECILL-2.1 CNRI-Python CPAL-1.0 CPL-1.0 ECL-1.0 ECL-2.0 eCos-2.0 EFL-1.0 EFL-2.0 ' +
  'Entessa EPL-1.0 EPL-2.0 EUDatagrid Fair Frameworx-1.0 GPL-2.0 GPL-3.0 HPND IPA IPL-1.0 ISC LGPL-2.1 LGPL-3.0 LiLiQ-P-1.1 ' +
  'LiLiQ-Rplus-1.1 LiLiQ-R-1.1 LPL-1.0 LPL-1.02 LPPL-1.3c MS-RL MIT Motosoto MPL-1.0 MPL-1.1 MPL-2.0 MS-PL Multics NASA-1.3 Naumen ' +
  'NCSA NGPL NOKIA NPOSL-3.0 NTP OCLC-2.0 OFL-1.1 OGTSL OPL-2.1 OSL-1.0 OSL-2.1 OSL-3.0 PHP-3.0 PostgreSQL Python-2.0 QPL-1.0 ' +
  'RPL-1.1 RPL-1.5 RPSL-1.0 RSCPL SimPL-2.0 Sleepycat SPL-1.0 UCL-1.0 UPL VSL-1.0 W3C Watcom-1.0 WXwindows Xnet Zlib ZPL-2.0';

/**
 * Stars of formats in Berners-Lee's scheme, as ckanext-qa gives them: 2 for structured, 3 for open and structured, 4 for RDF. Other
 * formats have one star. Nothing gets a fifth, because it needs links that cannot be judged from metadata.
 */
export const STARS: Readonly<Record<2 | 3 | 4, string>> = {
  2: 'DBF DWG DXF ECW GDB MDB MRSID SHP XLS XLSB XLSM XLSX',
  3:
    'ATOM CSV GEOJSON GML GPKG GPX GRID HDF ICS JSON KML KMZ LAS LAZ NETCDF ODB ODS REST RSS SDMX SQL SVG TAB TSV WFS_SRVC WMS_SRVC ' +
    'XML XYZ YAML',
  4: 'JSON_LD N3 OWL RDF RDFA RDF_N_QUADS RDF_N_TRIPLES RDF_TRIG RDF_TURTLE RDF_XML',
};
