// The SunSpec models that Busbar knows, as data: the names of their points, in order, with types and scale factors, as
// the SunSpec Alliance publishes them. `parse-model.ts` explains the notation.

const INVERTER = `
  A,AphA,AphB,AphC:uint16*A_SF A_SF PPVphAB,PPVphBC,PPVphCA,PhVphA,PhVphB,PhVphC:uint16*V_SF V_SF W:int16*W_SF W_SF
  Hz:uint16*Hz_SF Hz_SF VA:int16*VA_SF VA_SF VAr:int16*VAr_SF VAr_SF PF:int16*PF_SF PF_SF WH:acc32*WH_SF WH_SF
  DCA:uint16*DCA_SF DCA_SF DCV:uint16*DCV_SF DCV_SF DCW:int16*DCW_SF DCW_SF TmpCab,TmpSnk,TmpTrns,TmpOt:int16*Tmp_SF
  Tmp_SF St,StVnd:enum16 Evt1,Evt2,EvtVnd1,EvtVnd2,EvtVnd3,EvtVnd4:bitfield32`;

const FLOAT_INVERTER = `
  A,AphA,AphB,AphC,PPVphAB,PPVphBC,PPVphCA,PhVphA,PhVphB,PhVphC,W,Hz,VA,VAr,PF,WH,DCA,DCV,DCW:float32
  TmpCab,TmpSnk,TmpTrns,TmpOt:float32 St,StVnd:enum16 Evt1,Evt2,EvtVnd1,EvtVnd2,EvtVnd3,EvtVnd4:bitfield32`;

const METER = `
  A,AphA,AphB,AphC:int16*A_SF A_SF PhV,PhVphA,PhVphB,PhVphC,PPV,PhVphAB,PhVphBC,PhVphCA:int16*V_SF V_SF
  Hz:int16*Hz_SF Hz_SF W,WphA,WphB,WphC:int16*W_SF W_SF VA,VAphA,VAphB,VAphC:int16*VA_SF VA_SF
  VAR,VARphA,VARphB,VARphC:int16*VAR_SF VAR_SF PF,PFphA,PFphB,PFphC:int16*PF_SF PF_SF
  TotWhExp,TotWhExpPhA,TotWhExpPhB,TotWhExpPhC,TotWhImp,TotWhImpPhA,TotWhImpPhB,TotWhImpPhC:acc32*TotWh_SF TotWh_SF
  TotVAhExp,TotVAhExpPhA,TotVAhExpPhB,TotVAhExpPhC:acc32*TotVAh_SF
  TotVAhImp,TotVAhImpPhA,TotVAhImpPhB,TotVAhImpPhC:acc32*TotVAh_SF TotVAh_SF
  TotVArhImpQ1,TotVArhImpQ1PhA,TotVArhImpQ1PhB,TotVArhImpQ1PhC:acc32*TotVArh_SF
  TotVArhImpQ2,TotVArhImpQ2PhA,TotVArhImpQ2PhB,TotVArhImpQ2PhC:acc32*TotVArh_SF
  TotVArhExpQ3,TotVArhExpQ3PhA,TotVArhExpQ3PhB,TotVArhExpQ3PhC:acc32*TotVArh_SF
  TotVArhExpQ4,TotVArhExpQ4PhA,TotVArhExpQ4PhB,TotVArhExpQ4PhC:acc32*TotVArh_SF TotVArh_SF Evt:bitfield32`;

interface ModelTable {
  readonly label: string;
  readonly points: string;
  /** What follows the points as often as the model is long. */
  readonly group?: { readonly name: string; readonly points: string };
}

export const MODEL_TABLES: ReadonlyMap<number, ModelTable> = new Map<number, ModelTable>([
  [1, { label: "common", points: "Mn,Md:string16 Opt,Vr:string8 SN:string16 DA:uint16 Pad:pad" }],
  [101, { label: "single-phase inverter", points: INVERTER }],
  [102, { label: "split-phase inverter", points: INVERTER }],
  [103, { label: "three-phase inverter", points: INVERTER }],
  [111, { label: "single-phase inverter, floats", points: FLOAT_INVERTER }],
  [112, { label: "split-phase inverter, floats", points: FLOAT_INVERTER }],
  [113, { label: "three-phase inverter, floats", points: FLOAT_INVERTER }],
  [
    120,
    {
      label: "ratings of the nameplate",
      points: `
        DERTyp:enum16 WRtg:uint16*WRtg_SF WRtg_SF VARtg:uint16*VARtg_SF VARtg_SF
        VArRtgQ1,VArRtgQ2,VArRtgQ3,VArRtgQ4:int16*VArRtg_SF VArRtg_SF ARtg:uint16*ARtg_SF ARtg_SF
        PFRtgQ1,PFRtgQ2,PFRtgQ3,PFRtgQ4:int16*PFRtg_SF PFRtg_SF WHRtg:uint16*WHRtg_SF WHRtg_SF
        AhrRtg:uint16*AhrRtg_SF AhrRtg_SF MaxChaRte:uint16*MaxChaRte_SF MaxChaRte_SF
        MaxDisChaRte:uint16*MaxDisChaRte_SF MaxDisChaRte_SF Pad:pad`,
    },
  ],
  [
    121,
    {
      label: "basic settings",
      points: `
        WMax:uint16*WMax_SF VRef:uint16*VRef_SF VRefOfs:int16*VRefOfs_SF VMax,VMin:uint16*VMinMax_SF
        VAMax:uint16*VAMax_SF VArMaxQ1,VArMaxQ2,VArMaxQ3,VArMaxQ4:int16*VArMax_SF WGra:uint16*WGra_SF
        PFMinQ1,PFMinQ2,PFMinQ3,PFMinQ4:int16*PFMin_SF VArAct,ClcTotVA:enum16 MaxRmpRte:uint16*MaxRmpRte_SF
        ECPNomHz:uint16*ECPNomHz_SF ConnPh:enum16 WMax_SF VRef_SF VRefOfs_SF VMinMax_SF VAMax_SF VArMax_SF WGra_SF
        PFMin_SF MaxRmpRte_SF ECPNomHz_SF`,
    },
  ],
  [
    122,
    {
      label: "status and extended measurements",
      points: `
        PVConn,StorConn,ECPConn:bitfield16 ActWh,ActVAh,ActVArhQ1,ActVArhQ2,ActVArhQ3,ActVArhQ4:acc64
        VArAval:int16*VArAval_SF VArAval_SF WAval:uint16*WAval_SF WAval_SF StSetLimMsk,StActCtl:bitfield32
        TmSrc:string4 Tms:uint32 RtSt:bitfield16 Ris:uint16*Ris_SF Ris_SF`,
    },
  ],
  [
    123,
    {
      label: "immediate controls",
      points: `
        Conn_WinTms,Conn_RvrtTms:uint16 Conn:enum16 WMaxLimPct:uint16*WMaxLimPct_SF
        WMaxLimPct_WinTms,WMaxLimPct_RvrtTms,WMaxLimPct_RmpTms:uint16 WMaxLim_Ena:enum16 OutPFSet:int16*OutPFSet_SF
        OutPFSet_WinTms,OutPFSet_RvrtTms,OutPFSet_RmpTms:uint16 OutPFSet_Ena:enum16
        VArWMaxPct,VArMaxPct,VArAvalPct:int16*VArPct_SF VArPct_WinTms,VArPct_RvrtTms,VArPct_RmpTms:uint16
        VArPct_Mod,VArPct_Ena:enum16 WMaxLimPct_SF OutPFSet_SF VArPct_SF`,
    },
  ],
  [
    124,
    {
      label: "basic storage controls",
      points: `
        WChaMax:uint16*WChaMax_SF WChaGra,WDisChaGra:uint16*WChaDisChaGra_SF StorCtl_Mod:bitfield16
        VAChaMax:uint16*VAChaMax_SF MinRsvPct:uint16*MinRsvPct_SF ChaState:uint16*ChaState_SF
        StorAval:uint16*StorAval_SF InBatV:uint16*InBatV_SF ChaSt:enum16 OutWRte,InWRte:int16*InOutWRte_SF
        InOutWRte_WinTms,InOutWRte_RvrtTms,InOutWRte_RmpTms:uint16 ChaGriSet:enum16 WChaMax_SF WChaDisChaGra_SF
        VAChaMax_SF MinRsvPct_SF ChaState_SF StorAval_SF InBatV_SF InOutWRte_SF`,
    },
  ],
  [
    160,
    {
      label: "inputs with trackers of their own",
      points: "DCA_SF DCV_SF DCW_SF DCWH_SF Evt:bitfield32 N:count TmsPer:uint16",
      group: {
        name: "module",
        points: `
          ID:uint16 IDStr:string8 DCA:uint16*DCA_SF DCV:uint16*DCV_SF DCW:uint16*DCW_SF DCWH:acc32*DCWH_SF Tms:uint32
          Tmp:int16 DCSt:enum16 DCEvt:bitfield32`,
      },
    },
  ],
  [201, { label: "single-phase meter", points: METER }],
  [202, { label: "split-phase meter", points: METER }],
  [203, { label: "three-phase meter, wye", points: METER }],
  [204, { label: "three-phase meter, delta", points: METER }],
  [
    714,
    {
      label: "DC ports",
      points: `
        PrtAlrms:bitfield32 NPrt:count DCA:int16*DCA_SF DCW:int16*DCW_SF DCWhInj,DCWhAbs:uint64*DCWH_SF DCA_SF DCV_SF
        DCW_SF DCWH_SF Tmp_SF`,
      group: {
        name: "Prt",
        points: `
          PrtTyp:enum16 ID:uint16 IDStr:string8 DCA:int16*DCA_SF DCV:uint16*DCV_SF DCW:int16*DCW_SF
          DCWhInj,DCWhAbs:uint64*DCWH_SF Tmp:int16*Tmp_SF DCSta:enum16 DCAlrm:bitfield32`,
      },
    },
  ],
  [
    802,
    {
      label: "battery",
      points: `
        AHRtg:uint16*AHRtg_SF WHRtg:uint16*WHRtg_SF WChaRteMax,WDisChaRteMax:uint16*WChaDisChaMax_SF
        DisChaRte:uint16*DisChaRte_SF SoCMax,SoCMin,SocRsvMax,SoCRsvMin,SoC:uint16*SoC_SF DoD:uint16*DoD_SF
        SoH:uint16*SoH_SF NCyc:uint32 ChaSt,LocRemCtl:enum16 Hb,CtrlHb,AlmRst:uint16 Typ,State,StateVnd:enum16
        WarrDt:uint32 Evt1,Evt2,EvtVnd1,EvtVnd2:bitfield32 V,VMax,VMin:uint16*V_SF CellVMax:uint16*CellV_SF
        CellVMaxStr,CellVMaxMod:uint16 CellVMin:uint16*CellV_SF CellVMinStr,CellVMinMod:uint16 CellVAvg:uint16*CellV_SF
        A:int16*A_SF AChaMax,ADisChaMax:uint16*AMax_SF W:int16*W_SF ReqInvState:enum16 ReqW:int16*W_SF
        SetOp,SetInvState:enum16 AHRtg_SF WHRtg_SF WChaDisChaMax_SF DisChaRte_SF SoC_SF DoD_SF SoH_SF V_SF CellV_SF
        A_SF AMax_SF W_SF`,
    },
  ],
]);
