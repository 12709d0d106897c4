/**
 * The unit atoms of UCUM (https://ucum.org), each defined by others and in the end by the base units m, s, g, rad, K, C
 * and cd. An entry is the code, `*` when prefixes are allowed, then a number where it is not 1, then the other units.
 * `!` marks what cannot be converted by a factor, such as pH or arbitrary units: such a unit fits only itself.
 */
export const UCUM_ATOMS = `
10* 10 1; 10^ 10 1; [pi] 3.141592653589793 1; % 10*-2; [ppth] 10*-3; [ppm] 10*-6; [ppb] 10*-9; [pptr] 10*-12
mol* 6.0221367 10*23; sr* rad2; Hz* s-1; N* kg.m/s2; Pa* N/m2; J* N.m; W* J/s; A* C/s; V* J/C; F* C/V; Ohm* V/A
S* Ohm-1; Wb* V.s; T* Wb/m2; H* Wb/A; lm* cd.sr; lx* lm/m2; Bq* s-1; Gy* J/kg; Sv* J/kg; deg 2 [pi].rad/360
gon 0.9 deg; ' deg/60; '' '/60; l* dm3; L* l; ar* 100 m2; min 60 s; h 60 min; d 24 h; a_t 365.24219 d; a_j 365.25 d
a_g 365.2425 d; a a_j; wk 7 d; mo_s 29.53059 d; mo_j a_j/12; mo_g a_g/12; mo mo_j; t* 1e3 kg; bar* 1e5 Pa
u* 1.6605402e-24 g; AU 149597.870691 Mm; pc* 3.085678e16 m; [c]* 299792458 m/s; [h]* 6.6260755e-34 J.s
[k]* 1.380658e-23 J/K; [eps_0]* 8.854187817e-12 F/m; [mu_0]* 4.[pi].10*-7.N/A2; [e]* 1.60217733e-19 C; eV* [e].V
[m_e]* 9.1093897e-28 g; [m_p]* 1.6726231e-24 g; [G]* 6.67259e-11 m3.kg-1.s-2; [g]* 9.80665 m/s2; Torr 133.322 Pa
atm 101325 Pa; [ly]* [c].a_j; gf* g.[g]; Ky* cm-1; Gal* cm/s2; dyn* g.cm/s2; erg* dyn.cm; P* dyn.s/cm2; Bi* 10 A
St* cm2/s; Mx* 1e-8 Wb; G* 1e-4 T; Oe* 250 /[pi].A/m; Gb* Oe.cm; sb* cd/cm2; Lmb* cd/cm2/[pi]; ph* 1e-4 lx; Ci* 37e9 Bq
R* 2.58e-4 C/kg; RAD* 100 erg/g; REM* RAD; [in_i] 2.54 cm; [ft_i] 12 [in_i]; [yd_i] 3 [ft_i]; [mi_i] 5280 [ft_i]
[fth_i] 6 [ft_i]; [nmi_i] 1852 m; [kn_i] [nmi_i]/h; [sin_i] [in_i]2; [sft_i] [ft_i]2; [syd_i] [yd_i]2
[cin_i] [in_i]3; [cft_i] [ft_i]3; [cyd_i] [yd_i]3; [bf_i] 144 [in_i]3; [cr_i] 128 [ft_i]3; [mil_i] 1e-3 [in_i]
[cml_i] [pi]/4.[mil_i]2; [hd_i] 4 [in_i]; [ft_us] 1200 m/3937; [yd_us] 3 [ft_us]; [in_us] [ft_us]/12
[rd_us] 16.5 [ft_us]; [ch_us] 4 [rd_us]; [lk_us] [ch_us]/100; [rch_us] 100 [ft_us]; [rlk_us] [rch_us]/100
[fth_us] 6 [ft_us]; [fur_us] 40 [rd_us]; [mi_us] 8 [fur_us]; [acr_us] 160 [rd_us]2; [srd_us] [rd_us]2
[smi_us] [mi_us]2; [sct] [mi_us]2; [twp] 36 [sct]; [mil_us] 1e-3 [in_us]; [in_br] 2.539998 cm; [ft_br] 12 [in_br]
[rd_br] 16.5 [ft_br]; [ch_br] 4 [rd_br]; [lk_br] [ch_br]/100; [fth_br] 6 [ft_br]; [pc_br] 2.5 [ft_br]
[yd_br] 3 [ft_br]; [mi_br] 5280 [ft_br]; [nmi_br] 6080 [ft_br]; [kn_br] [nmi_br]/h; [acr_br] 4840 [yd_br]2
[gal_us] 231 [in_i]3; [bbl_us] 42 [gal_us]; [qt_us] [gal_us]/4; [pt_us] [qt_us]/2; [gil_us] [pt_us]/4
[foz_us] [gil_us]/4; [fdr_us] [foz_us]/8; [min_us] [fdr_us]/60; [crd_us] 128 [ft_i]3; [bu_us] 2150.42 [in_i]3
[gal_wi] [bu_us]/8; [pk_us] [bu_us]/4; [dqt_us] [pk_us]/8; [dpt_us] [dqt_us]/2; [tbs_us] [foz_us]/2
[tsp_us] [tbs_us]/3; [cup_us] 16 [tbs_us]; [foz_m] 30 mL; [cup_m] 240 mL; [tsp_m] 5 mL; [tbs_m] 15 mL
[gal_br] 4.54609 l; [pk_br] 2 [gal_br]; [bu_br] 4 [pk_br]; [qt_br] [gal_br]/4; [pt_br] [qt_br]/2; [gil_br] [pt_br]/4
[foz_br] [gil_br]/5; [fdr_br] [foz_br]/8; [min_br] [fdr_br]/60; [gr] 64.79891 mg; [lb_av] 7000 [gr]
[lbf_av] [lb_av].[g]; [oz_av] [lb_av]/16; [dr_av] [oz_av]/16; [scwt_av] 100 [lb_av]; [lcwt_av] 112 [lb_av]
[ston_av] 20 [scwt_av]; [lton_av] 20 [lcwt_av]; [stone_av] 14 [lb_av]; [pwt_tr] 24 [gr]; [oz_tr] 20 [pwt_tr]
[lb_tr] 12 [oz_tr]; [sc_ap] 20 [gr]; [dr_ap] 3 [sc_ap]; [oz_ap] 8 [dr_ap]; [lb_ap] 12 [oz_ap]; [oz_m] 28 g
[lne] [in_i]/12; [pnt] [lne]/6; [pca] 12 [pnt]; [pnt_pr] 0.013837 [in_i]; [pca_pr] 12 [pnt_pr]; [pied] 32.48 cm
[pouce] [pied]/12; [ligne] [pouce]/12; [didot] [ligne]/6; [cicero] 12 [didot]; [degR] 5 K/9; cal_[15]* 4.1858 J
cal_[20]* 4.1819 J; cal_m* 4.19002 J; cal_IT* 4.1868 J; cal_th* 4.184 J; cal* cal_th; [Cal] kcal_th
[Btu_39] 1.05967 kJ; [Btu_59] 1.0548 kJ; [Btu_60] 1.05468 kJ; [Btu_m] 1.05587 kJ; [Btu_IT] 1.05505585262 kJ
[Btu_th] 1.05435 kJ; [Btu] [Btu_th]; [HP] 550 [ft_i].[lbf_av]/s; tex* g/km; [den] g/9/km; m[H2O]* 9.80665 kPa
m[Hg]* 133.322 kPa; [in_i'H2O] m[H2O].[in_i]/m; [in_i'Hg] m[Hg].[in_i]/m; [PRU] mm[Hg].s/ml; [wood'U] mm[Hg].min/L
[diop] m; [p'diop] !; %[slope] !; [mesh_i] [in_i]; [Ch] mm/3; [drp] ml/20; [hnsf'U] 1; [MET] 3.5 mL/min/kg
[hp'_X] !; [hp'_C] !; [hp'_M] !; [hp'_Q] !; [hp_X] !; [hp_C] !; [hp_M] !; [hp_Q] !; [kp_X] !; [kp_C] !; [kp_M] !
[kp_Q] !; eq* mol; osm* mol; [pH] !; g%* g/dl; [S] 10*-13.s; [HPF] 1; [LPF] 100 1; kat* mol/s; U* umol/min; [iU]* !
[IU]* [iU]; [arb'U] !; [USP'U] !; [GPL'U] !; [MPL'U] !; [APL'U] !; [beth'U] !; [anti'Xa'U] !; [todd'U] !; [dye'U] !
[smgy'U] !; [bdsk'U] !; [ka'U] !; [knk'U] !; [mclg'U] !; [tb'U] !; [CCID_50] !; [TCID_50] !; [EID_50] !; [PFU] !
[FFU] !; [CFU] !; [IR] !; [BAU] !; [AU] !; [Amb'a'1'U] !; [PNU] !; [Lf] !; [D'ag'U] !; [FEU] !; [ELU] !; [EU] !
Np* !; B* !; B[SPL]* !; B[V]* !; B[mV]* !; B[uV]* !; B[10.nV]* !; B[W]* !; B[kW]* !; st* m3; Ao 0.1 nm; b 100 fm2
att kgf/cm2; mho* S; [psi] [lbf_av]/[in_i]2; circ 2 [pi].rad; sph 4 [pi].sr; [car_m] 0.2 g; [car_Au] /24
[smoot] 67 [in_i]; [m/s2/Hz^(1/2)] !; bit_s !; bit* 1; By* 8 bit; Bd* s
`;

/**
 * What people in the energy field write and strict UCUM does not have. The same notation; all of them take prefixes.
 */
export const ENERGY_ATOMS = `
Wh* W.h; Wp* W; VA* V.A; VAh* V.A.h; var* V.A; VAr* V.A; VAR* V.A; varh* V.A.h; VArh* V.A.h; VARh* V.A.h; Ah* A.h
`;
